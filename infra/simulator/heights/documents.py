"""What the coverage service tells of itself: capabilities, and the description of its one coverage."""

EPSG = 25833
WEST, SOUTH, EAST, NORTH = -100_275.0, 6_399_725.0, 1_150_255.0, 8_000_275.0

_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_NAMESPACES = (
    'version="1.0.0" xmlns="http://www.opengis.net/wcs" xmlns:gml="http://www.opengis.net/gml" '
    'xmlns:xlink="http://www.w3.org/1999/xlink"'
)
_DEGREES = (
    '<lonLatEnvelope srsName="urn:ogc:def:crs:OGC:1.3:CRS84"><gml:pos>-2 57</gml:pos><gml:pos>33 72</gml:pos>'
    "</lonLatEnvelope>"
)


def coverage(model: str) -> str:
    """Return what the coverage of a model is called."""
    return f"nhm_{model}_topo_{EPSG}"


def capabilities(model: str, address: str) -> str:
    """Return the document of GetCapabilities.

    Parameters
    ----------
    model : str
        `dtm` or `dom`.
    address : str
        Of the service.
    """
    get = f'<DCPType><HTTP><Get><OnlineResource xlink:href="{address}?"/></Get></HTTP></DCPType>'
    requests = "".join(f"<{name}>{get}</{name}>" for name in ("GetCapabilities", "DescribeCoverage", "GetCoverage"))
    return (
        f"{_HEAD}<WCS_Capabilities {_NAMESPACES}><Service><description>SIMULATED heights</description>"
        f"<name>{model}</name><label>{model} (SIMULATED)</label><fees>NONE</fees>"
        "<accessConstraints>NONE</accessConstraints></Service>"
        f"<Capability><Request>{requests}</Request></Capability>"
        f"<ContentMetadata><CoverageOfferingBrief><name>{coverage(model)}</name><label>{coverage(model)}</label>"
        f"{_DEGREES}</CoverageOfferingBrief></ContentMetadata></WCS_Capabilities>"
    )


def description(model: str) -> str:
    """Return the document of DescribeCoverage."""
    name = coverage(model)
    corners = f"<gml:pos>{WEST} {SOUTH}</gml:pos><gml:pos>{EAST} {NORTH}</gml:pos>"
    cells = f"{EAST - WEST - 1:.0f} {NORTH - SOUTH - 1:.0f}"
    return (
        f"{_HEAD}<CoverageDescription {_NAMESPACES}><CoverageOffering>"
        f"<name>{name}</name><label>{name} (SIMULATED)</label>"
        f"{_DEGREES}<domainSet><spatialDomain>"
        f'<gml:Envelope srsName="EPSG:{EPSG}">{corners}</gml:Envelope>'
        f'<gml:RectifiedGrid dimension="2" srsName="EPSG:{EPSG}"><gml:limits><gml:GridEnvelope><gml:low>0 0</gml:low>'
        f"<gml:high>{cells}</gml:high></gml:GridEnvelope></gml:limits><gml:axisName>x</gml:axisName>"
        f"<gml:axisName>y</gml:axisName><gml:origin><gml:pos>{WEST + 0.5} {NORTH - 0.5}</gml:pos></gml:origin>"
        "<gml:offsetVector>1 0</gml:offsetVector><gml:offsetVector>0 -1</gml:offsetVector></gml:RectifiedGrid>"
        "</spatialDomain></domainSet>"
        f"<rangeSet><RangeSet><name>{name}</name><label>height, m</label></RangeSet></rangeSet>"
        f"<supportedCRSs><requestResponseCRSs>EPSG:{EPSG}</requestResponseCRSs><nativeCRSs>EPSG:{EPSG}</nativeCRSs>"
        "</supportedCRSs><supportedFormats><formats>GeoTIFF</formats></supportedFormats>"
        '<supportedInterpolations default="nearest neighbor">'
        "<interpolationMethod>nearest neighbor</interpolationMethod>"
        "</supportedInterpolations></CoverageOffering></CoverageDescription>"
    )
