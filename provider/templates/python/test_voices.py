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
    def test_each_voice_is_paid_once_outputs_name_voices_and_destroy_deletes_all(self):
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
        first = emulator()
        known = [row["voice"] for row in before["voices"]]
        voices = [row["voice"] for row in first["voices"] if row["voice"] not in known]
        # A name, a list or a manifest: whoever speaks with these voices needs their names.
        texts = json.dumps({name: output.value for name, output in outputs.items()})
        self.assertTrue(any(f'"{voice}"' in texts for voice in voices), f"No output names a voice: {texts}")
        self.assertEqual(first["summary"]["voicesBilled"], before["summary"]["voicesBilled"] + len(voices))

        stack.preview(expect_no_changes=True)
        stack.up()
        self.assertEqual(emulator()["summary"]["charge"], first["summary"]["charge"])

        stack.destroy()
        self.assertEqual(emulator()["voices"], before["voices"])


if __name__ == "__main__":
    unittest.main()
