"""Results of tools: summary, structured content and links, in the shape of a protocol version."""

from collections.abc import Mapping
from typing import Any

from api.mcp import arguments
from api.mcp.names import NOTHING, OMITTED, translate
from api.mcp.texts import SUMMARY
from api.mcp.tool import Api, Fields, Schema, Tool
from api.mcp.wire import OLDEST


async def run(tool: Tool, schema: Schema, version: str, api: Api, given: Mapping[str, Any]) -> Fields:
    """Return the result of a tool.

    Parameters
    ----------
    tool : Tool
    schema : mapping
        Its input schema.
    version : str
        Of the protocol.
    api : Api
    given : mapping
        Arguments as they were sent.

    Raises
    ------
    ToolError
    """
    read = arguments.read(given, schema)
    parts = await tool.fetch(api, read)
    summary = tool.summarise(parts)
    links = tool.links(api, read)
    content: list[Fields] = [{"type": "text", "text": summary}]
    if version == OLDEST:
        content += [{"type": "text", "text": f"{link.name}: {link.uri}"} for link in links]
        return {"content": content}
    content += [
        {"type": "resource_link", "uri": link.uri, "name": link.name, "mimeType": link.media_type} for link in links
    ]
    structured: Fields = {SUMMARY: summary}
    for part, answer in parts.items():
        translated = translate(answer, OMITTED.get(tool.name, NOTHING))
        structured |= {part: translated} if part else translated
    if links:
        structured["nedlasting"] = links[0].uri
    return {"content": content, "structuredContent": structured}
