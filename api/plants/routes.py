"""`/api/anlegg...`: plants, uploads of their production, and measurements."""

from dataclasses import replace

from api.access.required import Access
from api.core import problems as shared
from api.core.body import Body
from api.core.file_body import FileBody
from api.core.prose import prose
from api.core.resources import Resources
from api.core.routing import Route
from api.plants import problems
from api.plants.accuracy_service import Accuracy, AccuracyService
from api.plants.answers import Deleted, PlantAnswer, PlantDetails, Plants, StoredAnswer, UploadAnswer
from api.plants.schemas import (
    EXAMPLE,
    FORM_FIELDS,
    MAX_MEASUREMENT_BYTES,
    MEASUREMENTS_EXAMPLE,
    Measurements,
    Registration,
    UploadQuery,
    ViewQuery,
)
from api.plants.service import PlantService
from api.plants.upload_service import UploadService

TAG = "Plants"

_ACCESS = Access(keyed=True, key_required=True, agreement="anlegg")
_PLANT = {"id": "From `POST /api/anlegg`."}
_UPLOAD = _PLANT | {"opplasting": "From `POST /api/anlegg/{id}/produksjon`."}
_FILE_S, _GRACE_S = 45.0, 10.0
_OF_FIELDS = (
    "missing", "float_type", "int_type", "greater_than", "greater_than_equal", "less_than_equal", "literal_error",
    "bool_type", "list_type", "model_type", "string_type", "string_too_short", "string_too_long", "too_short",
    "too_long", "string_pattern_mismatch", "name_taken", "name_reserved", "moment_invalid", "interval_invalid",
    "quantity_invalid", "zone_invalid",
)  # fmt: skip
_OF_BODIES = tuple(shared.FIELDS[kind] for kind in _OF_FIELDS)
_OF_PLANTS = (problems.NOT_FOUND, problems.NO_DATABASE)
_OF_UPLOADS = (*_OF_PLANTS, problems.UPLOAD_NOT_FOUND)
_OF_FILES = (
    problems.UNREADABLE,
    problems.NOT_INTERPRETED,
    problems.TIMEOUT,
    problems.ZONE,
    shared.NOT_A_CHOICE,
    shared.NOT_A_FLAG,
    shared.INVALID_VALUE,
    shared.QUEUE_FULL,
    shared.NO_JOBS,
    shared.JOB_FAILED,
    shared.JOB_CANCELLED,
    shared.DAMAGED,
)


def routes(resources: Resources) -> tuple[Route, ...]:
    """Return the declarations of this group."""
    plants, files, forecasts = PlantService(resources), UploadService(resources), AccuracyService(resources)
    consent = prose(__file__, "consent")
    declared = (
        Route(
            "POST",
            "/api/anlegg",
            plants.register,
            description=f"`samtykke`: {consent['text']} `samtykke_datatolkning`: {consent['interpreter']}",
            body=Body(Registration, EXAMPLE),
            status=201,
            response=PlantAnswer,
            problems=(
                problems.CONSENT_REQUIRED,
                problems.COORDINATES,
                problems.ARRAYS,
                problems.TOO_MANY_PLANTS,
                problems.NO_DATABASE,
                *_OF_BODIES,
            ),
        ),
        Route(
            "GET",
            "/api/anlegg",
            plants.listing,
            response=Plants,
            problems=(problems.NO_DATABASE,),
            examples=("/api/anlegg",),
        ),
        Route(
            "GET",
            "/api/anlegg/{id}",
            plants.plant,
            path_parameters=_PLANT,
            response=PlantDetails,
            problems=_OF_PLANTS,
        ),
        Route(
            "GET",
            "/api/anlegg/{id}/treff",
            forecasts.show,
            path_parameters=_PLANT,
            response=Accuracy,
            problems=(*_OF_PLANTS, shared.BUSY),
        ),
        Route(
            "DELETE",
            "/api/anlegg/{id}",
            plants.delete,
            path_parameters=_PLANT,
            response=Deleted,
            problems=_OF_PLANTS,
        ),
        Route(
            "POST",
            "/api/anlegg/{id}/maalinger",
            plants.measurements,
            path_parameters=_PLANT,
            body=Body(Measurements, MEASUREMENTS_EXAMPLE, max_bytes=MAX_MEASUREMENT_BYTES, seconds=20.0),
            status=201,
            response=StoredAnswer,
            problems=(
                problems.TOO_MANY_VALUES,
                problems.FAILED_CHECKS,
                shared.JOB_FAILED,
                *_OF_PLANTS,
                *_OF_BODIES,
            ),
        ),
        Route(
            "POST",
            "/api/anlegg/{id}/produksjon",
            files.upload,
            path_parameters=_PLANT,
            query=UploadQuery,
            body=FileBody(
                "fil", problems.MAX_FILE_BYTES, problems.FILE_TOO_LARGE, problems.NO_FILE, FORM_FIELDS, _FILE_S
            ),
            status=201,
            response=UploadAnswer,
            within_s=_FILE_S + problems.WITHIN_S + _GRACE_S,
            problems=(*_OF_FILES, *_OF_UPLOADS),
        ),
        Route(
            "GET",
            "/api/anlegg/{id}/produksjon/{opplasting}",
            files.show,
            path_parameters=_UPLOAD,
            query=ViewQuery,
            response=UploadAnswer,
            other_media=("image/png",),
            problems=(*_OF_UPLOADS, problems.NOT_WAITING, shared.NO_PICTURE),
        ),
        Route(
            "POST",
            "/api/anlegg/{id}/produksjon/{opplasting}/bekreft",
            files.confirm,
            path_parameters=_UPLOAD,
            response=UploadAnswer,
            problems=(problems.UPLOAD_FAILED_CHECKS, problems.NOT_WAITING, *_OF_UPLOADS),
        ),
        Route(
            "POST",
            "/api/anlegg/{id}/produksjon/{opplasting}/avvis",
            files.reject,
            path_parameters=_UPLOAD,
            response=UploadAnswer,
            problems=(problems.NOT_WAITING, *_OF_UPLOADS),
        ),
    )
    return tuple(replace(route, access=_ACCESS) for route in declared)
