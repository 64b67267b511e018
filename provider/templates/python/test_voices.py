import json
import os
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.request import urlopen

from pulumi import automation

project = Path(__file__).resolve().parent


def emulator():
    """The voices and the ledger's summary of the emulator, which `npm test` starts."""
    address = os.environ.get("CLOUDVOICE_BASE_URL")
    assert address, "There is no emulator. `npm test` starts one: see package.json."
    with urlopen(f"{address}/_emulator/state") as response:
        return json.load(response)


class Voices(unittest.TestCase):
    def test_a_second_update_pays_for_nothing_and_destroy_deletes_all_voices(self):
        before = emulator()  # fails here if the address is that of a service
        state = TemporaryDirectory()
        self.addCleanup(state.cleanup)
        self.addCleanup((project / "Pulumi.test.yaml").unlink, missing_ok=True)
        # A state of its own, so no stack of yours is touched.
        env = {
            "PULUMI_BACKEND_URL": Path(state.name).as_uri(),
            "PULUMI_CONFIG_PASSPHRASE": "test",
            "CLOUDVOICE_JOURNAL": str(Path(state.name) / "journal"),
        }
        options = automation.LocalWorkspaceOptions(env_vars=env)
        stack = automation.create_stack("test", work_dir=str(project), opts=options)
        self.addCleanup(stack.destroy)  # also if an assertion fails: the emulator keeps its voices for the next run

        outputs = stack.up().outputs
        self.assertIn("voice", outputs, "This test reads the program's output `voice`. Change the test with the program.")
        first = emulator()
        self.assertIn(outputs["voice"].value, [row["voice"] for row in first["voices"]])
        self.assertLessEqual(first["summary"]["charge"], before["summary"]["charge"] + 0.05)

        stack.up()
        self.assertEqual(emulator()["summary"]["charge"], first["summary"]["charge"])

        stack.destroy()
        self.assertEqual(emulator()["voices"], before["voices"])


if __name__ == "__main__":
    unittest.main()
