"""The statements of charging, as text that is made once.

SQLAlchemy's building, compiling and running of these took 1.7 ms for a transaction; as text, on the driver's own
cursor, they take a tenth of that.
They are the same for SQLite and PostgreSQL but for the mark of a parameter. Nothing of a caller's is in them.
"""
# ruff: noqa: S608 -- what is put together here is marks of parameters

from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True)
class Statements:
    """The statements of one dialect, for its cursor.

    Parameters
    ----------
    mark : str
        What stands for a parameter.
    """

    mark: str

    def accounts(self, keys: int) -> str:
        """Accounts of some keys that are active. Parameters: their digests."""
        return _marked(
            "SELECT k.digest, a.id, a.plan FROM api_key k JOIN account a ON a.id = k.account_id "
            f"WHERE k.deactivated_at IS NULL AND k.digest IN ({_list(keys)})",
            self.mark,
        )

    def lock(self, payers: int) -> str:
        """Make rows of the day that are missing, lock all, return what they say. Parameters: day and payer of each."""
        rows = ", ".join(["(?, ?, 0, 0)"] * payers)
        return _marked(
            f"INSERT INTO quota_day (day, payer, requests, plants) VALUES {rows} "
            "ON CONFLICT (day, payer) DO UPDATE SET requests = quota_day.requests RETURNING payer, requests, plants",
            self.mark,
        )

    def known(self, payers: int, points: int) -> str:
        """Which of some points some payers have asked for. Parameters: day, payers, points."""
        return _marked(
            "SELECT payer, point FROM quota_plant "
            f"WHERE day = ? AND payer IN ({_list(payers)}) AND point IN ({_list(points)})",
            self.mark,
        )

    @property
    def count(self) -> str:
        """Set a payer's counts. Parameters: requests, plants, day, payer."""
        return _marked("UPDATE quota_day SET requests = ?, plants = ? WHERE day = ? AND payer = ?", self.mark)

    def plant(self, rows: int) -> str:
        """Note how many charges ask for some points. Parameters of each: day, payer, point, charges."""
        return _marked(
            f"INSERT INTO quota_plant (day, payer, point, charges) VALUES {_rows(rows, 4)} "
            "ON CONFLICT (day, payer, point) DO UPDATE SET charges = quota_plant.charges + excluded.charges",
            self.mark,
        )

    def charge(self, rows: int) -> str:
        """Note what some requests were charged. Parameters of each: request id, day, payer, points as JSON."""
        return _marked(f"INSERT INTO quota_charge (request_id, day, payer, points) VALUES {_rows(rows, 4)}", self.mark)


BY_DIALECT = {"sqlite": Statements("?"), "postgresql": Statements("%s")}


def _list(items: int) -> str:
    return ", ".join("?" * items)


def _rows(rows: int, columns: int) -> str:
    return ", ".join([f"({_list(columns)})"] * rows)


@lru_cache(1024)
def _marked(sql: str, mark: str) -> str:
    return sql.replace("?", mark)
