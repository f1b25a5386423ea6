"""What the models' own tools make of them: runs in the virtual environment.

    reference.py silero FOLDER       recordings, weights, and expected.json: what onnxruntime and the package say about them
    reference.py checksums FILE      a line for each tensor: CRC-32 of its bytes, name
"""
import json
import pathlib
import subprocess
import sys
import unittest.mock
import wave
import zlib

import numpy as np
import onnx
import onnxruntime
import safetensors.numpy

RATE, CHUNK, CONTEXT = 16000, 512, 64

# ---- Recordings: the same for ever, as far as the speech synthesis is ----------------------------------------------------


def spoken(folder, voice, speed, text):
    """Synthesised speech at 16 kHz, by linear interpolation between the samples that there are."""
    path = folder / "spoken.wav"
    subprocess.run(["espeak-ng", "-v", voice, "-s", str(speed), "-w", path, text], check=True)
    with wave.open(str(path)) as file:
        rate, samples = file.getframerate(), np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(float)
    path.unlink()
    times = np.arange(int(len(samples) * RATE / rate)) * rate / RATE
    return np.interp(times, np.arange(len(samples)), samples)


def recordings(folder):
    """Name to samples, of 16 bits."""
    noise = np.random.default_rng(1)
    english = spoken(folder, "en", 150, "The tree has three leaves. Each of them has a path, and every path has a name.")
    german = spoken(folder, "de", 130, "Guten Morgen. Der Baum hat viele Blätter.")
    silence = np.zeros(RATE)
    made = {
        "speech": np.concatenate([silence, english, silence, german, silence]),
        "quiet speech in noise": np.concatenate([german, silence, english]) * 0.3,
        "to the last sample": english[:2 * RATE + 100],
        "noise": noise.normal(0, 1000, 3 * RATE),
        "silence": silence,
        "less than a chunk": english[RATE:RATE + 100],
        "nothing": silence[:0],
    }
    made["quiet speech in noise"] += noise.normal(0, 150, len(made["quiet speech in noise"]))
    return {name: np.clip(samples, -32768, 32767).astype("<i2") for name, samples in made.items()}


# ---- Silero VAD ----------------------------------------------------------------------------------------------------------
#
# The package's .safetensors file comes from another training than the weights in its .onnx files. So the network is run with
# both: as it is, its weights put into a .safetensors file by safetensors' own writer; and with the weights of the published
# .safetensors file put into its graph.

NAMES = {
    "stft_conv.weight": "model.stft.forward_basis_buffer",
    **{f"conv{i + 1}.{kind}": f"model.encoder.{i}.reparam_conv.{kind}" for i in range(4) for kind in ("weight", "bias")},
    **{f"lstm_cell.{kind}": f"model.decoder.rnn.{kind}" for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")},
    **{f"final_conv.{kind}": f"model.decoder.decoder.2.{kind}" for kind in ("weight", "bias")},
}


def probabilities(session, samples):
    """For each chunk, as the package's wrapper calls the network."""
    audio = samples.astype(np.float32) / 32768
    audio = np.concatenate([np.zeros(CONTEXT, np.float32), audio, np.zeros(-len(audio) % CHUNK, np.float32)])
    state, found = np.zeros((2, 1, 128), np.float32), []
    for at in range(0, len(audio) - CONTEXT, CHUNK):
        chunk = audio[None, at:at + CONTEXT + CHUNK]
        probability, state = session.run(None, {"input": chunk, "state": state, "sr": np.array(RATE)})
        found.append(probability.item())
    return found


def silero(folder):
    """Everything that the check compares with."""
    sys.modules["torch"] = unittest.mock.MagicMock()           # the package imports it, and we call nothing that uses it
    import silero_vad.utils_vad
    data = pathlib.Path(silero_vad.__file__).parent / "data"
    published = safetensors.numpy.load_file(data / "silero_vad_16k.safetensors")
    graph = onnx.load(data / "silero_vad_16k_op15.onnx")
    tensors = {tensor.name: tensor for tensor in graph.graph.initializer}
    assert published.keys() == NAMES.keys() and set(NAMES.values()) <= tensors.keys()
    own = {name: onnx.numpy_helper.to_array(tensors[there]).copy() for name, there in NAMES.items()}
    safetensors.numpy.save_file(own, folder / "own.safetensors")
    for name, there in NAMES.items():
        tensors[there].CopyFrom(onnx.numpy_helper.from_array(published[name], there))
    models = {
        "published": (data / "silero_vad_16k.safetensors", onnxruntime.InferenceSession(graph.SerializeToString())),
        "own": (folder / "own.safetensors", onnxruntime.InferenceSession(data / "silero_vad.onnx")),
    }
    expected = []
    for name, samples in recordings(folder).items():
        path = folder / f"{name.replace(' ', '_')}.wav"
        with wave.open(str(path), "wb") as file:
            file.setparams((1, 2, RATE, 0, "NONE", ""))
            file.writeframes(samples.tobytes())
        for weights, (model, session) in models.items():
            found = probabilities(session, samples)
            speech = silero_vad.utils_vad.get_speech_timestamps_from_probs(found, audio_length_samples=len(samples))
            expected.append({"recording": name, "path": str(path), "weights": weights, "model": str(model),
                             "probabilities": found, "speech": [[part["start"], part["end"]] for part in speech]})
    (folder / "expected.json").write_text(json.dumps(expected))


# ---- Checksums -----------------------------------------------------------------------------------------------------------


def checksums(path):
    """As examples/minilm.c prints them."""
    for name, tensor in safetensors.numpy.load_file(path).items():
        print(f"{zlib.crc32(tensor.tobytes()):08x}  {name}")


if __name__ == "__main__":
    {"silero": silero, "checksums": checksums}[sys.argv[1]](pathlib.Path(sys.argv[2]))
