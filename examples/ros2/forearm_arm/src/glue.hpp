// What both plugins need and no ROS: poses as ROS has them, joints by name. Compiled and run by forearm's tests.
#ifndef FOREARM_ARM_GLUE_HPP
#define FOREARM_ARM_GLUE_HPP

#include "arm.hpp"

#include <cmath>
#include <string>
#include <vector>

namespace forearm_arm {

// A pose from a position and a quaternion x, y, z, w as ROS orders it, made a unit one; a zero one gives a pose that
// the solver refuses.
inline arm::Pose pose_of(const double (&p)[3], const double (&r)[4]) {
    const double length = std::sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
    const double x = r[0] / length, y = r[1] / length, z = r[2] / length, w = r[3] / length;
    return {1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),     p[0],
            2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),     p[1],
            2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y), p[2],
            0,                       0,                       0,                       1};
}

// The quaternion x, y, z, w of a pose, from the largest of its four parts.
inline std::array<double, 4> quaternion_of(const arm::Pose &T) {
    const double xx = T[0], yy = T[5], zz = T[10];
    const std::array<double, 4> squares{1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz, 1 + xx + yy + zz};
    std::size_t best = 0;
    for (std::size_t i = 1; i < 4; i++)
        if (squares[i] > squares[best]) best = i;
    const double s = 0.5 / std::sqrt(squares[best]), half = s * squares[best];
    switch (best) {
        case 0: return {half, s * (T[4] + T[1]), s * (T[2] + T[8]), s * (T[9] - T[6])};
        case 1: return {s * (T[4] + T[1]), half, s * (T[9] + T[6]), s * (T[2] - T[8])};
        case 2: return {s * (T[2] + T[8]), s * (T[9] + T[6]), half, s * (T[4] - T[1])};
        default: return {s * (T[9] - T[6]), s * (T[2] - T[8]), s * (T[4] - T[1]), half};
    }
}

// Where the arm's joints stand in somebody else's list of names; empty if one is missing.
inline std::vector<std::size_t> places_of(const std::vector<std::string> &names) {
    std::vector<std::size_t> places;
    for (const char *joint : arm_joint_names)
        for (std::size_t i = 0; i < names.size(); i++)
            if (names[i] == joint) places.push_back(i);
    return places.size() == arm::joints ? places : std::vector<std::size_t>{};
}

// Values of somebody else's list in the arm's order.
inline arm::Joints pick(const std::vector<double> &values, const std::vector<std::size_t> &places) {
    arm::Joints q{};
    for (std::size_t k = 0; k < arm::joints; k++) q[k] = values[places[k]];
    return q;
}

// Joint values moved inside the limits: a seed of a planner may lie on a limit, rounded.
inline arm::Joints inside(arm::Joints q) {
    for (std::size_t k = 0; k < arm::joints; k++) q[k] = std::fmin(std::fmax(q[k], arm_lower[k]), arm_upper[k]);
    return q;
}

// Whether an answer is within a planner's limits of change, if there are any.
inline bool is_near(const arm::Joints &q, const arm::Joints &seed, const std::vector<double> &limits) {
    for (std::size_t k = 0; k < arm::joints && k < limits.size(); k++)
        if (std::fabs(q[k] - seed[k]) > limits[k]) return false;
    return true;
}

}  // namespace forearm_arm
#endif
