// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation
import SwiftData

/// A class that can have subclasses, with its own equality.
@Model
class Patient {
    var name: String
    var visits: [Visit] = []

    init(name: String) { self.name = name }

    static func == (left: Patient, right: Patient) -> Bool { left.name == right.name }

    func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

@Model
final class Child: Patient {
    var age: Int = 0

    init(name: String, age: Int) {
        self.age = age
        super.init(name: name)
    }
}

/// The equality is in an extension.
@Model
final class Visit {
    var number: Int
    @Relationship(inverse: \Patient.visits) var patient: Patient?

    init(number: Int) { self.number = number }
}

extension Visit: Hashable {
    static func == (left: Visit, right: Visit) -> Bool { left.number == right.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

@Model
class Ward: Hashable, Comparable {
    var floor: Int
    /// As long as the ward is in memory.
    @Transient @ObservationIgnored var visitors = 0

    init(floor: Int) { self.floor = floor }

    static func == (left: Ward, right: Ward) -> Bool { left.floor == right.floor }
    static func < (left: Ward, right: Ward) -> Bool { left.floor < right.floor }
    func hash(into hasher: inout Hasher) { hasher.combine(floor) }
}

/// Names that are keywords, and those of members that other code generates.
@Model
final class Keywords {
    var `Self`: Int = 1
    var `class`: String?
    var `func`: Int = 2
    var `var`: Int = 3
    var `nil`: Int = 4
    var `true`: Bool = true
    var `super`: Int = 5
    var `return`: [Int] = [6]
    var `Any`: Int = 7
    var `where`: Keywords?
    var `protocol`: `Protocol`?
    @Attribute(.unique) var `operator`: String = ""
    var `extension`: Int = 8 { didSet { `func` += 1 } }
    var get: Int = 9
    var set: Int = 10
    var willSet: Int = 11
    var didSet: Int = 12
    var some: Int = 13
    var actor: Int = 14
    var left: Int = 15
    var schemaMetadata: String = "a"
    var backingData: String = "b"
    var _value: Int = 16
    var _mark: Int = 17
    var _setValue: Int = 18
    var hasChanges: Bool = true
    var isDeleted: Bool = true
    var modelContext: String = "c"
    var persistentModelID: String = "d"
    var uncounted: Int = 19
    var _willSet: Int = 20
    var newValue: Int = 21 { didSet { _mark += oldValue } }
    var oldValue: Int = 22 { willSet { _mark += newValue } }
    var chosen: Int = if Bool(true) { 23 } else { 24 }
    var closed: Int = { 25 }()
    let `let`: Int

    init() { `let` = 26 }

    func change() {
        (`extension`, newValue, oldValue) = (30, 31, 32)
        (self.class, `where`, `protocol`) = ("x", self, `Protocol`())
    }
}

@Model
final class `Protocol` {
    var number: Int = 1
    @Relationship(inverse: \Keywords.`protocol`) var keywords: [Keywords] = []

    init() {}
}

/// Types with the names of Swift's and SwiftData's own.
@Model
final class Shadows {
    enum Bool: Swift.String, Codable { case yes, no }
    struct String: Codable, Hashable { var text = "s" }
    struct Schema: Codable, Hashable { var number = 1 }
    struct PersistentModel: Codable, Hashable { var number = 2 }

    var answer: Bool = Bool.yes
    var text: String = String()
    var schema: Schema = Schema()
    var model: PersistentModel?
    @Attribute(originalName: "x") var number: Swift.Int = 4

    init() {}
}

// MARK: Values

struct Pair<First: Codable & Hashable, Second: Codable & Hashable>: Codable, Hashable {
    var first: First
    var second: [String: Second] = [:]
}

/// A value that encodes itself as one text.
struct Token: Codable, Hashable {
    var text: String

    init(_ text: String) { self.text = text }
    init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

@Model
final class Values {
    var data: Data = Data()
    var tokens: [String: Token] = [:]
    var counts: [String: [String: Int]] = [:]
    var names: [Int: String] = [:]
    var states: [State: Int] = [:]
    var set: Set<UUID> = []
    var pair: Pair<Pair<Int, Bool>, Token>?
    var pairs: [Pair<String, Int>]? = nil
    var choice: Choice<Int> = Choice.none
    var maybe: Choice<[String]>?
    var price: Decimal = 0
    var discount: Decimal? = Decimal(string: "1.25")
    var length: Measurement<UnitLength> = Measurement(value: 1, unit: .meters)
    var weight: Measurement<UnitMass>?
    var link: URL = URL(filePath: "/")
    var id: UUID = UUID()
    var other: UUID?
    var state: State?
    var history: [State] = [State.open]
    var range: Range<Int> = 0..<3
    var period: ClosedRange<Date>?
    var point: CGPoint = CGPoint.zero
    var frame: CGRect?
    var duration: Duration = Duration.seconds(1)
    var small: UInt8 = 1
    var wide: UInt64 = UInt64.max
    var implicit: String!
    var list: [Int?] = [nil, 1]
    var indices: IndexSet = []

    init() {}

    enum State: Codable, Hashable {
        case open
        case closed(reason: String)
        case moved(to: URL, at: Date?)
    }
    enum Choice<Value: Codable & Hashable>: Codable, Hashable { case one(Value), none }
}

// MARK: Access

protocol Named { var name: String { get set } }
protocol Described {
    static var kind: String { get }
    var summary: String { get }
}

@Model
public final class Doctor: Named {
    public var name: String
    public private(set) var count: Int = 0
    fileprivate var room: Int = 0
    private var pager: Int?
    package var hours: Int = 0
    public internal(set) var level: Int {
        didSet { room += 1 }
        willSet(next) { pager = next }
    }
    public let license: UUID
    @Transient public var isBusy = false
    lazy var initials: String = String(name.prefix(1))
    private(set) lazy var calls = 3
    static let shared = 1
    class var limit: Int { 4 }
    nonisolated static let others: [Int] = []
    #if os(Linux)
    func platform() -> String { "Linux" }
    #endif
    /// A comment.
    @Attribute(.unique) /* and */ @available(macOS 10, *)
    // another
    public /* before */ var /* the */ badge /* name */: /* and */ String /* after */ = /* it */
        "a"  // end
    var first: Double = 0; var second: Int = 1

    public init(name: String, level: Int = 0) {
        self.name = name
        self.level = level
        license = UUID()
    }

    public func isLess<Value: Comparable>(_ path: KeyPath<Doctor, Value>, _ value: Value) -> Bool {
        self[keyPath: path] < value
    }

    func state() -> [Int?] { [room, pager, count] }

    public subscript(number: Int) -> Int {
        get { count + number }
        set { count = newValue }
    }
}

extension Doctor: Described {
    public static var kind: String { "doctor" }
    public var summary: String { "\(name) \(level)" }
}

extension Doctor: Sequence {
    public func makeIterator() -> AnyIterator<Int> { AnyIterator([level].makeIterator()) }
}

@Model fileprivate final class Hidden {
    var number: Int = 0
    fileprivate var text: String

    init() { text = "hidden" }
}

@Model private final class MoreHidden {
    private var text: String = "more"
    var all: String { text }

    init() {}
}

@Model open class Staff {
    open var role: String = "staff"
    public var chief: Staff?

    public init() {}
}

/// Models in namespaces, and what only this file sees of the hidden ones.
struct Hospital {
    @Model final class Bed {
        var number: Int = 1
        fileprivate init() {}
    }
    static let hidden: [any PersistentModel.Type] = [Hidden.self, MoreHidden.self]

    static func insertHidden(in context: ModelContext) -> Bed {
        context.insert(Hidden())
        context.insert(MoreHidden())
        return Bed()
    }

    static func hiddenTexts(in context: ModelContext) throws -> [String] {
        try context.fetch(FetchDescriptor<Hidden>()).map(\.text)
            + context.fetch(FetchDescriptor<MoreHidden>()).map(\.all)
    }
}

extension Hospital {
    @Model final class Lamp {
        var bed: Hospital.Bed?
        init() {}
    }
}
