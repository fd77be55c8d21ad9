"""A ROS 2 node around a servo: poses in, joint values out, at a fixed rate.

It needs rclpy (ROS 2), which no test of this repository has: it is not run there. Start it with
`python examples/ros2/servo_node.py` in a shell where ROS 2 is set up.

    /target_pose    geometry_msgs/PoseStamped     where the tip shall be, in the base frame
    /joint_states   sensor_msgs/JointState        where the arm is; the node starts from the first one
    /joint_command  std_msgs/Float64MultiArray    joint values for the controller
"""

import numpy as np
import rclpy
from geometry_msgs.msg import PoseStamped
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

import forearm as fa

RATE = 500.0


class ServoNode(Node):
    """Follows the last pose that came."""

    def __init__(self) -> None:
        super().__init__("forearm_servo")
        self.arm = fa.load(self.declare_parameter("robot", "ur5").value)
        self.servo, self.target = None, None
        self.create_subscription(PoseStamped, "target_pose", self.take_target, 1)
        self.create_subscription(JointState, "joint_states", self.take_joints, 1)
        self.out = self.create_publisher(Float64MultiArray, "joint_command", 1)
        self.create_timer(1.0 / RATE, self.tick)

    def take_joints(self, message: JointState) -> None:
        """Makes the servo where the arm stands."""
        if self.servo is None:
            values = dict(zip(message.name, message.position, strict=True))
            self.servo = self.arm.servo([values[name] for name in self.arm.joint_names], RATE)

    def take_target(self, message: PoseStamped) -> None:
        """Keeps a target for the next tick."""
        p, r = message.pose.position, message.pose.orientation
        self.target = fa.Pose([p.x, p.y, p.z], quat_xyzw=[r.x, r.y, r.z, r.w])

    def tick(self) -> None:
        """One step, and nothing new until the next target comes."""
        if self.servo is None:
            return
        q, self.target = self.servo(self.target), None
        self.out.publish(Float64MultiArray(data=np.asarray(q).tolist()))
        if self.servo.status == "lost":
            self.get_logger().warning(self.servo.reason, throttle_duration_sec=1.0)


def main() -> None:
    """Runs until Ctrl-C."""
    rclpy.init()
    rclpy.spin(ServoNode())


if __name__ == "__main__":
    main()
