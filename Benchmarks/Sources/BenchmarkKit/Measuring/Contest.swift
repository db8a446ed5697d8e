/// Several ways to do one piece of work, run against each other.
public struct Contest {
    /// Which part of the row this is; empty where the row has one part.
    public var part: String
    /// What one operation is: times are per operation.
    public var unit: String
    /// What a save that returned survives, the same for every contender; for reads: `reads only`.
    public var durability: String
    /// The column of the first table that this contest is shown in; `nil`: it is not in that table.
    public var headline: Headline?
    /// In the order in which they are shown.
    public var contenders: [Contender]

    /// - Parameters:
    ///   - part: of the row; empty where it has one.
    ///   - unit: what one operation is.
    ///   - durability: of every contender.
    ///   - headline: the column of the first table that the contest is shown in.
    ///   - contenders: in the order in which they are shown.
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
    /// What a contender is there for.
    public enum Role: String, Sendable, Codable {
        /// The C library used directly: what the others are compared with.
        case baseline
        /// Cairn.
        case ours
        /// Another library for the same purpose.
        case peer
        /// The same work without any I/O.
        case control
    }

    /// Unique in the contest.
    public var name: String
    /// What it is there for.
    public var role: Role
    /// What it should reach; nil: it is there to be looked at.
    public var goal: Goal?
    /// Does the work once.
    public var run: () throws -> Sample

    /// - Parameters:
    ///   - name: unique in the contest.
    ///   - role: what it is there for.
    ///   - goal: what it should reach.
    ///   - run: does the work once.
    public init(
        _ name: String, _ role: Role, goal: Goal? = nil, run: @escaping () throws -> Sample
    ) {
        self.name = name
        self.role = role
        self.goal = goal
        self.run = run
    }
}

/// What one run of a contender took, and proof of what it did.
public struct Sample: Sendable {
    /// Of the timed parts.
    public var cost: Cost
    /// How many operations were timed.
    public var operations: Int
    /// Over what was read, or what is stored afterwards; the same for every contender of a contest.
    public var checksum: UInt64
    /// Memory in use at the end of the timed part for each object; nil: not measured.
    public var bytesPerObject: Double?
    /// The size of the store's files afterwards; nil: not measured.
    public var fileBytes: Int?

    /// - Parameters:
    ///   - watch: has timed the work.
    ///   - operations: how many were timed.
    ///   - checksum: over what was read, or what is stored afterwards.
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
