// Reads a .glb with three.js's own loader and prints where its joints are at some times, as JSON:
//   npm install three; node tools/three_check.mjs clip.glb 0 0.5 1
// (run in a folder whose node_modules has three). docs/clips.md says what it is held against.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const three = createRequire(path.join(process.cwd(), "x.js")).resolve("three");
const folder = path.join(path.dirname(three), "..");
globalThis.self = globalThis;
const THREE = await import(pathToFileURL(path.join(folder, "build", "three.module.js")));
const { GLTFLoader } = await import(pathToFileURL(path.join(folder, "examples", "jsm", "loaders", "GLTFLoader.js")));

const data = fs.readFileSync(process.argv[2]);
const buffer = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength);
new GLTFLoader().parse(buffer, "", (gltf) => {
  const mixer = new THREE.AnimationMixer(gltf.scene);
  const action = mixer.clipAction(gltf.animations[gltf.animations.length - 1]);
  action.setLoop(THREE.LoopOnce);
  action.clampWhenFinished = true;
  action.play();
  const found = {};
  for (const time of process.argv.slice(3).map(Number)) {
    mixer.setTime(time);
    gltf.scene.updateMatrixWorld(true);
    const points = {};
    gltf.scene.traverse((node) => {
      if (node !== gltf.scene) points[node.userData.name ?? node.name] = new THREE.Vector3().setFromMatrixPosition(node.matrixWorld).toArray();
    });
    found[time] = points;
  }
  console.log(JSON.stringify(found));
}, (fault) => { console.error(String(fault)); process.exit(1); });
