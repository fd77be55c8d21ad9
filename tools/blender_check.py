"""Prints as JSON where Blender's own importers put the joints of a BVH or glTF file, frame by frame.

python tools/blender_check.py FILE FRAMES_A_SECOND FRAMES      # needs the package bpy

Places are turned back from Blender's axes (z up) to those of the file (y up).
"""

import json
import sys

import bpy


def main():
    """Imports the file and prints (frames, joints) of places by name."""
    import addon_utils  # noqa: PLC0415 (which bpy brings along)

    path, rate, count = sys.argv[1], round(float(sys.argv[2])), int(sys.argv[3])
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = rate
    if path.endswith(".bvh"):
        addon_utils.enable("io_anim_bvh")
        bpy.ops.import_anim.bvh(filepath=path)
    else:
        addon_utils.enable("io_scene_gltf2")
        bpy.ops.import_scene.gltf(filepath=path, disable_bone_shape=True)
    found, first = [], 1 if path.endswith(".bvh") else 0  # where the importers put the first frame
    for frame in range(first, first + count):
        scene.frame_set(frame)
        found.append({name: [x, z, -y] for name, (x, y, z) in joints()})
    print("\n" + json.dumps(found))


def joints():
    """Names and places of all bones, and of what stands alone."""
    for thing in bpy.data.objects:
        if thing.type == "ARMATURE":
            for bone in thing.pose.bones:
                yield bone.name, (thing.matrix_world @ bone.matrix).translation
        else:
            yield thing.name, thing.matrix_world.translation


if __name__ == "__main__":
    main()
