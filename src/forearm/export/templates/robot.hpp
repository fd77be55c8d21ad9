// @TITLE@: inverse kinematics in C++17, on top of robot.h. Nothing allocates, nothing throws.
#ifndef ROBOT_HPP
#define ROBOT_HPP

#include "robot.h"

#include <array>
#include <cstddef>
#include <optional>

#if __cplusplus >= 202002L && __has_include(<span>)
#include <span>
#define ROBOT_SPAN 1
#endif

namespace robot {

inline constexpr std::size_t joints = ROBOT_JOINTS;
using Joints = std::array<double, joints>;
using Pose = std::array<double, 16>;  // 4x4, row by row

struct Solution {
    robot_status status;
    Joints q;
    robot_report report;
    explicit operator bool() const { return status == ROBOT_SOLVED; }
};

// Answers, the nearest first; as many as there is room for.
template <std::size_t Room>
struct Branches {
    int count;  // or a negative robot_status
    bool complete;
    std::array<Joints, Room> rows;
};

inline std::optional<Pose> fk(const Joints &q) {
    Pose pose{};
    if (robot_fk(q.data(), pose.data()) != ROBOT_SOLVED) return std::nullopt;
    return pose;
}

inline Solution solve(const Pose &target, const Joints *q0 = nullptr) {
    Solution found{};
    found.status = robot_solve(target.data(), q0 ? q0->data() : nullptr, found.q.data(), &found.report);
    return found;
}

inline Solution solve(const Pose &target, const Joints &q0) { return solve(target, &q0); }

// The same for numbers that come with their count: ROBOT_BAD_ARGUMENT if it is wrong. No q0: count 0.
inline Solution solve(const double *target, std::size_t numbers, const double *q0, std::size_t count) {
    Solution found{};
    found.status = ROBOT_BAD_ARGUMENT;
    if (numbers != 16 || (count != 0 && count != joints) || (count != 0 && q0 == nullptr)) return found;
    found.status = robot_solve(target, count ? q0 : nullptr, found.q.data(), &found.report);
    return found;
}

#ifdef ROBOT_SPAN
inline Solution solve(std::span<const double> target, std::span<const double> q0) {
    return solve(target.data(), target.size(), q0.data(), q0.size());
}
#endif

template <std::size_t Room = ROBOT_MOST_BRANCHES>
Branches<Room> solve_all(const Pose &target, const Joints *q0 = nullptr) {
    static_assert(sizeof(Joints) == ROBOT_JOINTS * sizeof(double), "rows follow each other without a gap");
    Branches<Room> found{};
    int complete = 0;
    found.count = robot_solve_all(target.data(), q0 ? q0->data() : nullptr, Room, found.rows[0].data(), &complete);
    found.complete = complete != 0;
    return found;
}

// Why a target is not met: a sentence of at most 255 characters.
inline std::array<char, 256> explain(const Pose &target, const Joints *q0 = nullptr) {
    std::array<char, 256> sentence{};
    robot_explain(target.data(), q0 ? q0->data() : nullptr, sentence.size(), sentence.data());
    return sentence;
}

// A stream of targets in, one bounded step a tick out. `start` says whether it began.
class Servo {
  public:
    Servo(double rate, const Joints &q0, const Joints *velocity = nullptr, const Joints *acceleration = nullptr)
        : start(robot_servo_start(&servo_, rate, q0.data(), velocity ? velocity->data() : nullptr,
                                  acceleration ? acceleration->data() : nullptr)),
          q(q0) {}

    // Joint values for the end of this tick; without a target it goes on to the last one.
    const Joints &operator()(const Pose *target = nullptr) {
        if (start == ROBOT_SOLVED) status = robot_servo_step(&servo_, target ? target->data() : nullptr, q.data());
        return q;
    }
    const Joints &operator()(const Pose &target) { return (*this)(&target); }
    robot_status sync(const Joints &measured, const Joints *velocity = nullptr) {
        return start == ROBOT_SOLVED ? robot_servo_sync(&servo_, measured.data(), velocity ? velocity->data() : nullptr)
                                     : start;
    }
    void stop() { robot_servo_stop(&servo_); }

  private:
    robot_servo servo_{};

  public:
    const robot_status start;
    int status = ROBOT_HELD;  // a robot_following, or a negative robot_status
    Joints q;
};

}  // namespace robot
#endif
