// A MoveIt 2 kinematics plugin on top of an exported robot. NOT COMPILED HERE: it needs the headers of MoveIt 2, which
// neither PyPI nor Debian has; written against moveit_core of ROS 2 Jazzy. What needs no ROS stands in glue.hpp.
#include "glue.hpp"

#include <moveit/kinematics_base/kinematics_base.h>
#include <moveit/robot_model/robot_model.h>
#include <pluginlib/class_list_macros.hpp>

namespace forearm_arm {

class Kinematics : public kinematics::KinematicsBase {
  public:
    using Pose = geometry_msgs::msg::Pose;
    using Code = moveit_msgs::msg::MoveItErrorCodes;
    using Options = kinematics::KinematicsQueryOptions;

    bool initialize(const rclcpp::Node::SharedPtr &node, const moveit::core::RobotModel &model, const std::string &group,
                    const std::string &base, const std::vector<std::string> &tips, double step) override {
        node_ = node;
        storeValues(model, group, base, tips, step);
        const auto *joints = model.getJointModelGroup(group);
        if (joints == nullptr || tips.size() != 1) return false;
        names_ = joints->getActiveJointModelNames();
        places_ = places_of(names_);
        links_ = {tips.front()};
        return names_.size() == arm::joints && !places_.empty();  // the group is the exported arm, no more, no less
    }

    bool getPositionIK(const Pose &pose, const std::vector<double> &seed, std::vector<double> &solution, Code &code,
                       const Options &) const override {
        return search(pose, seed, {}, solution, IKCallbackFn(), code);
    }

    bool searchPositionIK(const Pose &pose, const std::vector<double> &seed, double, std::vector<double> &solution,
                          Code &code, const Options &) const override {
        return search(pose, seed, {}, solution, IKCallbackFn(), code);
    }

    bool searchPositionIK(const Pose &pose, const std::vector<double> &seed, double, const std::vector<double> &limits,
                          std::vector<double> &solution, Code &code, const Options &) const override {
        return search(pose, seed, limits, solution, IKCallbackFn(), code);
    }

    bool searchPositionIK(const Pose &pose, const std::vector<double> &seed, double, std::vector<double> &solution,
                          const IKCallbackFn &callback, Code &code, const Options &) const override {
        return search(pose, seed, {}, solution, callback, code);
    }

    bool searchPositionIK(const Pose &pose, const std::vector<double> &seed, double, const std::vector<double> &limits,
                          std::vector<double> &solution, const IKCallbackFn &callback, Code &code,
                          const Options &) const override {
        return search(pose, seed, limits, solution, callback, code);
    }

    bool getPositionFK(const std::vector<std::string> &links, const std::vector<double> &values,
                       std::vector<Pose> &poses) const override {
        if (links.size() != 1 || links.front() != links_.front() || values.size() != arm::joints) return false;
        const auto T = arm::fk(pick(values, places_));
        if (!T) return false;
        const auto r = quaternion_of(*T);
        poses.resize(1);
        poses[0].position.x = (*T)[3], poses[0].position.y = (*T)[7], poses[0].position.z = (*T)[11];
        poses[0].orientation.x = r[0], poses[0].orientation.y = r[1];
        poses[0].orientation.z = r[2], poses[0].orientation.w = r[3];
        return true;
    }

    const std::vector<std::string> &getJointNames() const override { return names_; }
    const std::vector<std::string> &getLinkNames() const override { return links_; }

  private:
    // The answer near the seed; where that does not please the caller, every other branch, the nearest first.
    bool search(const Pose &pose, const std::vector<double> &seed, const std::vector<double> &limits,
                std::vector<double> &solution, const IKCallbackFn &callback, Code &code) const {
        code.val = Code::NO_IK_SOLUTION;
        if (seed.size() != arm::joints) return false;
        const auto start = inside(pick(seed, places_));
        const auto target = pose_of({pose.position.x, pose.position.y, pose.position.z},
                                    {pose.orientation.x, pose.orientation.y, pose.orientation.z, pose.orientation.w});
        const auto first = arm::solve(target, start);
        if (first && pleases(pose, first.q, start, limits, solution, callback, code)) return true;
        if (first.status < 0 || !callback) return false;
        const auto all = arm::solve_all(target, &start);
        for (int i = 0; i < all.count; i++)
            if (pleases(pose, all.rows[i], start, limits, solution, callback, code)) return true;
        return false;
    }

    bool pleases(const Pose &pose, const arm::Joints &q, const arm::Joints &start, const std::vector<double> &limits,
                 std::vector<double> &solution, const IKCallbackFn &callback, Code &code) const {
        if (!is_near(q, start, limits)) return false;
        solution.resize(arm::joints);
        for (std::size_t k = 0; k < arm::joints; k++) solution[places_[k]] = q[k];
        code.val = Code::SUCCESS;
        if (callback) callback(pose, solution, code);
        return code.val == Code::SUCCESS;
    }

    std::vector<std::string> names_, links_;
    std::vector<std::size_t> places_;
};

}  // namespace forearm_arm

PLUGINLIB_EXPORT_CLASS(forearm_arm::Kinematics, kinematics::KinematicsBase)
