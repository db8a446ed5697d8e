/// Several ways to do the same work, measured against each other.
public struct Contest {
    /// The part of the row. Empty if the row has only one part.
    public var part: String
    /// The meaning of one operation. Times are given per operation.
    public var unit: String
    /// The kind of failure that an acknowledged save survives, the same for every contender. `reads only` for
    /// reads.
    public var durability: String
    /// The column of the overview table that shows this contest, or `nil` if that table does not show it.
    public var headline: Headline?
    /// The contenders, in display order.
    public var contenders: [Contender]

    /// Creates a contest.
    ///
    /// - Parameters:
    ///   - part: The part of the row. Empty if the row has only one part.
    ///   - unit: The meaning of one operation.
    ///   - durability: The durability of every contender.
    ///   - headline: The column of the overview table that shows the contest.
    ///   - contenders: The contenders, in display order.
    public init(
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
    public var name: String
    /// The purpose of the contender.
    public var role: Role
    /// The goal, or `nil` if the contender has no goal.
    public var goal: Goal?
    /// Does the work once.
    public var run: () throws -> Sample

    /// Creates a contender.
    ///
    /// - Parameters:
    ///   - name: The name, which is unique in the contest.
    ///   - role: The purpose of the contender.
    ///   - goal: The goal, if any.
    ///   - run: Does the work once.
    public init(
        _ name: String, _ role: Role, goal: Goal? = nil, run: @escaping () throws -> Sample
    ) {
        self.name = name
        self.role = role
        self.goal = goal
        self.run = run
    }
}

/// The cost of one run of a contender, with proof of its work.
public struct Sample: Sendable {
    /// The cost of the timed parts.
    public var cost: Cost
    /// The number of timed operations.
    public var operations: Int
    /// A checksum of the data that was read, or that is stored afterwards. It is the same for every contender
    /// of a contest.
    public var checksum: UInt64
    /// The memory in use at the end of the timed part, per object, or `nil` if it was not measured.
    public var bytesPerObject: Double?
    /// The size of the store's files afterwards, or `nil` if it was not measured.
    public var fileBytes: Int?

    /// Creates a sample.
    ///
    /// - Parameters:
    ///   - watch: The stopwatch that timed the work.
    ///   - operations: The number of timed operations.
    ///   - checksum: A checksum of the data that was read, or that is stored afterwards.
    ///   - bytesPerObject: The memory in use per object, or `nil` if it was not measured.
    ///   - fileBytes: The size of the store's files, or `nil` if it was not measured.
    public init(
        _ watch: Stopwatch, operations: Int, checksum: UInt64, bytesPerObject: Double? = nil,
        fileBytes: Int? = nil
    ) {
        cost = watch.cost
        self.operations = operations
        self.checksum = checksum
        self.bytesPerObject = bytesPerObject
        self.fileBytes = fileBytes
    }
}
