"""One worker of the tool server by itself: `python -m api.mcp.worker --fd N`."""

import gc
import sys

if __name__ == "__main__":
    from api.core.worker import main

    gc.disable()  # until it serves, as in `api.core.worker`
    sys.exit(main(sys.argv[1:], "api.mcp.standalone:ToolServer"))
