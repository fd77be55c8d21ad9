"""A student's DH table and a roboticist's URDF give the same kind of robot."""

from math import pi

import forearm as fa

scara = fa.Robot.from_dh(
    [
        {"name": "shoulder", "a": 0.3, "d": 0.2, "limits": (-2.0, 2.0)},
        {"name": "elbow", "a": 0.25, "alpha": pi, "limits": (-2.4, 2.4)},
        {"name": "lift", "kind": "prismatic", "limits": (0.0, 0.18)},
        {"name": "wrist", "limits": (-pi, pi)},
    ],
    name="my-scara",
)
print(scara)

urdf = """
<robot name="pan-tilt">
  <link name="base"/> <link name="head"/> <link name="camera"/>
  <joint name="pan" type="continuous">
    <parent link="base"/> <child link="head"/> <origin xyz="0 0 0.3"/> <axis xyz="0 0 1"/>
  </joint>
  <joint name="tilt" type="revolute">
    <parent link="head"/> <child link="camera"/> <origin xyz="0.05 0 0.1"/> <axis xyz="0 1 0"/>
    <limit lower="-1.0" upper="1.0" effort="1" velocity="1"/>
  </joint>
</robot>
"""
print(fa.Robot.from_urdf(urdf, tip="camera"))
