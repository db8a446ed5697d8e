/// A row of the report: one piece of work, measured on one engine at one size.
///
/// Each is in a file of its own, which says what is to be reached, what is held fixed, and what
/// varies.
public protocol Workload<Setting>: Sendable {
    /// What a contest is made in: engine, size, files.
    associatedtype Setting

    /// What `--workload` calls it: the letter of a goal, or a word.
    var name: String { get }
    /// What is done, in a few words.
    var title: String { get }
    /// What is to be reached, held fixed and varied.
    var about: About { get }

    /// Makes what is to be run in a setting.
    ///
    /// - Throws: what keeps it from being made.
    func plan(in setting: Setting) throws -> WorkloadPlan
}

/// What a row is to show.
public struct About: Sendable, Hashable, Codable {
    /// What Cairn should reach.
    public var goal: String
    /// What is the same for every contender.
    public var heldFixed: String
    /// What differs between contenders.
    public var varied: String
    /// What the time above a missed goal consists of, in one sentence. `nil` if it is not known yet, or if
    /// the goals are met.
    public var rest: String?

    /// - Parameters:
    ///   - goal: what Cairn should reach.
    ///   - heldFixed: what is the same for every contender.
    ///   - varied: what differs between contenders.
    ///   - rest: what the time above a missed goal consists of.
    public init(goal: String, heldFixed: String, varied: String, rest: String? = nil) {
        self.goal = goal
        self.heldFixed = heldFixed
        self.varied = varied
        self.rest = rest
    }
}

/// What is to be run of a workload in a setting.
public enum WorkloadPlan {
    /// These, one after the other.
    case contests([Contest])
    /// Nothing: the row has its place, and Cairn cannot do it yet.
    case notYet(needs: String)
    /// Nothing: on this engine the row would say nothing, for a reason that the report gives.
    case notApplicable(because: String)
}
