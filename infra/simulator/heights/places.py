"""Towns and villages, entered by hand: where houses stand. Latitude, longitude, and how far each reaches, km."""

from functools import cache

import numpy as np
from numpy.typing import NDArray
from pyproj import Transformer

PLACES = """
Oslo 59.913 10.750 9.0; Bergen 60.392 5.324 5.0; Trondheim 63.430 10.395 4.5; Stavanger 58.970 5.733 4.5
Drammen 59.744 10.204 3.0; Fredrikstad 59.218 10.930 3.0; Porsgrunn 59.140 9.656 2.5; Skien 59.209 9.609 2.5
Kristiansand 58.146 7.996 3.0; Alesund 62.472 6.155 2.0; Tonsberg 59.267 10.408 2.5; Moss 59.434 10.657 2.0
Haugesund 59.413 5.268 2.0; Sandefjord 59.131 10.217 2.0; Arendal 58.461 8.772 1.8; Bodo 67.280 14.405 2.0
Tromso 69.649 18.955 2.5; Hamar 60.794 11.068 2.0; Larvik 59.053 10.035 1.8; Halden 59.123 11.387 1.5
Askoy 60.415 5.190 1.5; Kongsberg 59.669 9.650 1.5; Molde 62.737 7.159 1.5; Harstad 68.798 16.541 1.5
Horten 59.417 10.485 1.5; Gjovik 60.796 10.692 1.5; Lillehammer 61.115 10.466 1.6; Mo 66.313 14.142 1.5
Kristiansund 63.111 7.728 1.4; Korsvik 58.130 8.060 1.0; Honefoss 60.168 10.257 1.4; Alta 69.969 23.272 1.6
Elverum 60.882 11.562 1.4; Askim 59.583 11.164 1.2; Leirvik 59.780 5.500 1.1; Narvik 68.438 17.427 1.3
Grimstad 58.340 8.593 1.1; Osoyro 60.187 5.471 1.0; Raufoss 60.727 10.615 1.0; Vennesla 58.268 7.971 1.0
Lillestrom 59.956 11.049 1.8; Jessheim 60.142 11.175 1.6; Ski 59.719 10.836 1.4; Asker 59.835 10.435 1.6
Sandvika 59.890 10.526 1.6; Drobak 59.663 10.630 1.0; Steinkjer 64.015 11.495 1.2; Stjordal 63.469 10.918 1.2
Levanger 63.746 11.300 1.0; Verdal 63.793 11.485 1.0; Namsos 64.466 11.496 1.0; Orkanger 63.306 9.851 1.0
Roros 62.575 11.384 0.9; Oppdal 62.594 9.691 0.9; Dombas 62.075 9.128 0.6; Otta 61.772 9.540 0.7
Vinstra 61.596 9.750 0.6; Fagernes 60.986 9.232 0.6; Gol 60.701 8.955 0.7; Geilo 60.534 8.206 0.8
Finse 60.602 7.504 0.3; Voss 60.629 6.417 0.9; Odda 60.069 6.546 0.8; Sogndal 61.229 7.103 0.8
Forde 61.452 5.857 1.0; Floro 61.599 5.033 0.9; Maloy 61.935 5.113 0.7; Nordfjordeid 61.912 5.987 0.6
Stryn 61.909 6.722 0.6; Volda 62.147 6.071 0.8; Orsta 62.200 6.132 0.8; Ulsteinvik 62.343 5.849 0.8
Andalsnes 62.567 7.687 0.7; Sunndalsora 62.675 8.551 0.8; Surnadal 62.970 8.726 0.5; Flekkefjord 58.297 6.661 0.9
Egersund 58.451 5.999 1.0; Farsund 58.095 6.804 0.8; Mandal 58.029 7.461 1.0; Lyngdal 58.138 7.070 0.7
Risor 58.720 9.234 0.7; Kragero 58.870 9.410 0.8; Notodden 59.560 9.259 1.0; Rjukan 59.879 8.594 0.7
Kongsvinger 60.191 11.998 1.2; Tynset 62.276 10.782 0.6; Trysil 61.315 12.264 0.5; Rena 61.134 11.365 0.5
Bryne 58.735 5.648 1.2; Sandnes 58.852 5.736 2.5; Sauda 59.650 6.353 0.7; Jorpeland 59.022 6.040 0.8
Sortland 68.693 15.413 0.9; Svolvaer 68.234 14.568 0.9; Leknes 68.147 13.610 0.7; Stokmarknes 68.564 14.911 0.6
Andenes 69.315 16.119 0.7; Finnsnes 69.229 17.981 0.8; Bardufoss 69.064 18.515 0.6; Fauske 67.260 15.392 0.8
Mosjoen 65.837 13.191 1.0; Bronnoysund 65.475 12.212 0.8; Sandnessjoen 66.021 12.632 0.8; Hammerfest 70.663 23.682 0.9
Honningsvag 70.982 25.970 0.6; Vadso 70.074 29.749 0.8; Vardo 70.370 31.106 0.5; Kirkenes 69.727 30.045 0.8
Lakselv 70.051 24.971 0.5; Karasjok 69.472 25.512 0.5; Kautokeino 69.012 23.041 0.5; Skjervoy 70.032 20.972 0.5
"""


def rows_of(table: str) -> list[list[str]]:
    """Return the words of a table whose rows end with a semicolon or a line."""
    return [entry.split() for entry in table.replace("\n", ";").split(";") if entry.strip()]


_ROWS = rows_of(PLACES)
NAMES = [row[0] for row in _ROWS]


@cache
def places() -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return easting, northing (m in UTM 33) and reach (m) of each."""
    lat, lon, reach = (np.array([float(row[k]) for row in _ROWS]) for k in (1, 2, 3))
    x, y = Transformer.from_crs(4258, 25833, always_xy=True).transform(lon, lat)
    return np.asarray(x), np.asarray(y), 1000.0 * reach
