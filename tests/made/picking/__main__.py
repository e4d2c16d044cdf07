"""The program with this protocol in its registry, which is read before anything else is."""

from hype.protocols import registry
from picking.protocol import PickingProtocol

vars(registry)["PROTOCOLS"] = (*registry.PROTOCOLS, PickingProtocol())

from hype.cli.main import main  # noqa: E402

main()
