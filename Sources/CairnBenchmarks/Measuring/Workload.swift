/// A row of the report: a piece of work, measured on one engine at one size.
///
/// Each row is in its own file, which describes the goal, what is held fixed, and what varies.
package protocol Workload<Setting>: Sendable {
    /// The environment of a contest: engine, size and files.
    associatedtype Setting

    /// The name for `--workload`: the letter of a goal, or a word.
    var name: String { get }
    /// A short description of the work.
    var title: String { get }
    /// The goal, what is held fixed, and what varies.
    var about: About { get }

    /// Prepares the contests of the row in a setting.
    ///
    /// - Throws: The error that prevents the preparation.
    func plan(in setting: Setting) throws -> WorkloadPlan
}

/// The purpose of a row.
package struct About: Sendable, Hashable, Codable {
    /// The goal for Cairn.
    package var goal: String
    /// The conditions that are the same for every contender.
    package var heldFixed: String
    /// The differences between the contenders.
    package var varied: String
    /// An explanation, in one sentence, of the time above a missed goal. `nil` if it is not known yet, or if
    /// the goals are met.
    package var rest: String?

    /// Creates a description.
    ///
    /// - Parameters:
    ///   - goal: The goal for Cairn.
    ///   - heldFixed: The conditions that are the same for every contender.
    ///   - varied: The differences between the contenders.
    ///   - rest: An explanation of the time above a missed goal.
    package init(goal: String, heldFixed: String, varied: String, rest: String? = nil) {
        self.goal = goal
        self.heldFixed = heldFixed
        self.varied = varied
        self.rest = rest
    }
}

/// The work of a row in a setting.
package enum WorkloadPlan {
    /// The contests to run, one after the other.
    case contests([Contest])
    /// Cairn does not support the work yet, so nothing is run. The row is still listed.
    case notYet(needs: String)
    /// The row would be meaningless on this engine, for a reason that the report gives, so nothing is run.
    case notApplicable(because: String)
}
