// A ros2_control controller that follows poses by forearm's servo: one bounded step of the joints an update. NOT
// COMPILED HERE: it needs the headers of ros2_control, which neither PyPI nor Debian has; written against Jazzy.
//
//   ~/target_pose   geometry_msgs/PoseStamped, in the arm's base frame; without one for 0.2 s the arm brakes to a stop
#include "glue.hpp"

#include <controller_interface/controller_interface.hpp>
#include <geometry_msgs/msg/pose_stamped.hpp>
#include <pluginlib/class_list_macros.hpp>
#include <realtime_tools/realtime_buffer.hpp>

#include <memory>
#include <optional>

namespace forearm_arm {

class Servo : public controller_interface::ControllerInterface {
  public:
    using Result = controller_interface::CallbackReturn;
    using Message = geometry_msgs::msg::PoseStamped;

    Result on_init() override { return Result::SUCCESS; }

    controller_interface::InterfaceConfiguration command_interface_configuration() const override {
        return each("position");
    }

    controller_interface::InterfaceConfiguration state_interface_configuration() const override {
        return each("position");
    }

    Result on_configure(const rclcpp_lifecycle::State &) override {
        target_ = get_node()->create_subscription<Message>(
            "~/target_pose", rclcpp::SystemDefaultsQoS(),
            [this](const Message::SharedPtr message) { latest_.writeFromNonRT(message); });
        return Result::SUCCESS;
    }

    // The servo begins where the arm stands.
    Result on_activate(const rclcpp_lifecycle::State &) override {
        arm::Joints q{};
        for (std::size_t k = 0; k < arm::joints; k++) q[k] = state_interfaces_[k].get_value();
        servo_.emplace(static_cast<double>(get_update_rate()), inside(q));
        latest_.writeFromNonRT(nullptr);
        seen_ = nullptr;
        return servo_->start == ARM_SOLVED ? Result::SUCCESS : Result::ERROR;
    }

    // In the control loop: nothing allocates, nothing waits.
    controller_interface::return_type update(const rclcpp::Time &, const rclcpp::Duration &) override {
        const auto message = *latest_.readFromRT();
        std::optional<arm::Pose> pose;
        if (message && message != seen_) {
            const auto &p = message->pose.position;
            const auto &r = message->pose.orientation;
            pose = pose_of({p.x, p.y, p.z}, {r.x, r.y, r.z, r.w});
            seen_ = message;
        }
        const auto &q = (*servo_)(pose ? &*pose : nullptr);
        for (std::size_t k = 0; k < arm::joints; k++) command_interfaces_[k].set_value(q[k]);
        return servo_->status < 0 ? controller_interface::return_type::ERROR : controller_interface::return_type::OK;
    }

  private:
    controller_interface::InterfaceConfiguration each(const std::string &what) const {
        controller_interface::InterfaceConfiguration asked{controller_interface::interface_configuration_type::INDIVIDUAL, {}};
        for (const char *joint : arm_joint_names) asked.names.push_back(std::string(joint) + "/" + what);
        return asked;
    }

    rclcpp::Subscription<Message>::SharedPtr target_;
    realtime_tools::RealtimeBuffer<Message::SharedPtr> latest_;
    Message::SharedPtr seen_;
    std::optional<arm::Servo> servo_;
};

}  // namespace forearm_arm

PLUGINLIB_EXPORT_CLASS(forearm_arm::Servo, controller_interface::ControllerInterface)
