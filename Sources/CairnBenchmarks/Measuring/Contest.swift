/// Several ways to do the same work, measured against each other.
package struct Contest {
    /// The part of the row. Empty if the row has only one part.
    package var part: String
    /// The meaning of one operation. Times are given per operation.
    package var unit: String
    /// The kind of failure that an acknowledged save survives, the same for every contender. `reads only` for
    /// reads.
    package var durability: String
    /// The column of the overview table that shows this contest, or `nil` if that table does not show it.
    package var headline: Headline?
    /// The contenders, in display order.
    package var contenders: [Contender]

    /// Creates a contest.
    ///
    /// - Parameters:
    ///   - part: The part of the row. Empty if the row has only one part.
    ///   - unit: The meaning of one operation.
    ///   - durability: The durability of every contender.
    ///   - headline: The column of the overview table that shows the contest.
    ///   - contenders: The contenders, in display order.
    package init(
        part: String = "", unit: String, durability: String = "reads only",
        headline: Headline? = nil, _ contenders: [Contender]
    ) {
        self.part = part
        self.unit = unit
        self.durability = durability
        self.headline = headline
        self.contenders = contenders
    }
}

/// One way to do the work of a contest.
public struct Contender {
    /// The purpose of a contender.
    public enum Role: String, Sendable, Codable {
        /// Direct use of the C library, with which the others are compared.
        case baseline
        /// Cairn.
        case ours
        /// Another library for the same purpose.
        case peer
        /// The same work without any I/O.
        case control
    }

    /// The name, which is unique in the contest.
    package var name: String
    /// The purpose of the contender.
    package var role: Role
    /// The goal, or `nil` if the contender has no goal.
    package var goal: Goal?
    /// Does the work once.
    package var run: () throws -> Sample

    /// Creates a contender.
    ///
    /// - Parameters:
    ///   - name: The name, which is unique in the contest.
    ///   - role: The purpose of the contender.
    ///   - goal: The goal, if any.
    ///   - run: Does the work once.
    package init(
        _ name: String, _ role: Role, goal: Goal?, run: @escaping () throws -> Sample
    ) {
        self.name = name
        self.role = role
        self.goal = goal
        self.run = run
    }

    /// Creates a contender without a goal.
    ///
    /// - Parameters:
    ///   - name: The name, which is unique in the contest. The report's marks have the text before the first
    ///     comma or colon.
    ///   - role: The purpose of the contender.
    ///   - run: Does the work once.
    public init(_ name: String, _ role: Role, run: @escaping () throws -> Sample) {
        self.init(name, role, goal: nil, run: run)
    }
}

/// The cost of one run of a contender, with proof of its work.
public struct Sample: Sendable {
    /// The cost of the timed parts.
    package var cost: Cost
    /// The number of timed operations.
    package var operations: Int
    /// A checksum of the data that was read, or that is stored afterwards. It is the same for every contender
    /// of a contest.
    package var checksum: UInt64
    /// Whether the checksum is compared with those of the other contenders.
    package var isCompared = true
    /// The memory in use at the end of the timed part, per object, or `nil` if it was not measured.
    package var bytesPerObject: Double?
    /// The size of the store's files afterwards, or `nil` if it was not measured.
    package var fileBytes: Int?

    /// Creates a sample.
    ///
    /// - Parameters:
    ///   - watch: The stopwatch that timed the work.
    ///   - operations: The number of timed operations.
    ///   - checksum: A checksum of the data that was read, or that is stored afterwards.
    ///   - bytesPerObject: The memory in use per object, or `nil` if it was not measured.
    ///   - fileBytes: The size of the store's files, or `nil` if it was not measured.
    package init(
        _ watch: Stopwatch, operations: Int, checksum: UInt64, bytesPerObject: Double? = nil,
        fileBytes: Int? = nil
    ) {
        cost = watch.cost
        self.operations = operations
        self.checksum = checksum
        self.bytesPerObject = bytesPerObject
        self.fileBytes = fileBytes
    }

    /// Creates a sample whose work is not compared with that of the other contenders. Make sure that it is the
    /// same work.
    ///
    /// - Parameters:
    ///   - watch: The stopwatch that timed the work.
    ///   - operations: The number of timed operations. The report shows the time of one.
    public init(_ watch: Stopwatch, operations: Int) {
        self.init(watch, operations: operations, checksum: 0)
        isCompared = false
    }
}
