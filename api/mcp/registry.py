"""The tools, in the order in which they are listed; a new tool is a module of `tools/` and a name here."""

from importlib import import_module
from pathlib import Path

from api.mcp.tool import Tool

FILE = Path(__file__).with_name("declarations.json")
_NAMES = (
    "adressesok", "pv_produksjon", "snolast", "snotap", "tmy", "terrengkategori", "solproduksjon_naa", "solprognose",
)  # fmt: skip
TOOLS: tuple[Tool, ...] = tuple(import_module(f"api.mcp.tools.{name}").TOOL for name in _NAMES)
