"""The API's worker, but with a transaction for each request: what group commit is compared with."""

import sys
from functools import partial

import api.app
import api.worker
from api.access.ledger import Ledger

if __name__ == "__main__":
    api.app.Ledger = partial(Ledger, max_batch=1)  # type: ignore[misc,assignment]
    sys.exit(api.worker.main(sys.argv[1:]))
