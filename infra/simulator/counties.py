"""The counties of the simulated municipalities: the real ones of the towns, entered by hand."""

from functools import cache

COUNTIES = {
    3: ("Oslo", "Oslo"),
    11: ("Rogaland", "Stavanger Haugesund Egersund Bryne Sandnes Sauda Jorpeland"),
    15: (
        "Møre og Romsdal",
        "Alesund Molde Kristiansund Volda Orsta Ulsteinvik Andalsnes Sunndalsora Surnadal",
    ),
    18: (
        "Nordland",
        "Bodo Mo Narvik Sortland Svolvaer Leknes Stokmarknes Andenes Fauske Mosjoen Bronnoysund Sandnessjoen",
    ),
    31: ("Østfold", "Fredrikstad Moss Halden Askim"),
    32: ("Akershus", "Lillestrom Jessheim Ski Asker Sandvika Drobak"),
    33: ("Buskerud", "Drammen Kongsberg Honefoss Gol Geilo"),
    34: (
        "Innlandet",
        "Hamar Gjovik Lillehammer Elverum Raufoss Dombas Otta Vinstra Fagernes Kongsvinger Tynset Trysil Rena",
    ),
    39: ("Vestfold", "Tonsberg Sandefjord Larvik Horten"),
    40: ("Telemark", "Porsgrunn Skien Kragero Notodden Rjukan"),
    42: (
        "Agder",
        "Kristiansand Arendal Korsvik Grimstad Vennesla Flekkefjord Farsund Mandal Lyngdal Risor",
    ),
    46: (
        "Vestland",
        "Bergen Askoy Leirvik Osoyro Finse Voss Odda Sogndal Forde Floro Maloy Nordfjordeid Stryn",
    ),
    50: ("Trøndelag", "Trondheim Steinkjer Stjordal Levanger Verdal Namsos Orkanger Roros Oppdal"),
    55: ("Troms", "Tromso Harstad Finnsnes Bardufoss Skjervoy"),
    56: ("Finnmark", "Alta Hammerfest Honningsvag Vadso Vardo Kirkenes Lakselv Karasjok Kautokeino"),
}
"""Name and towns by number, as counties have been since 2024."""
OSLO = 301
# no municipality has had a number from xx85 on
_FIRST = 85


@cache
def numbers() -> dict[str, int]:
    """Return the number of each simulated municipality, by the name of its town."""
    found = {
        town: 100 * county + place
        for county, (_, towns) in COUNTIES.items()
        for place, town in enumerate(towns.split(), _FIRST)
    }
    return {**found, "Oslo": OSLO}
