import Cairn
import CairnTestSupport
import Foundation

/// The expected values of a part, for a simple search.
struct PartRecord: Sendable {
    /// A unique code.
    var code: String
    var isSpare = false
    var number: Int?
    var weight = 0
    var price: Double?
    var name: String?
    var isNew: Bool?
    var made: Date?
    /// The name of its kit, which is in the same store.
    var kit: String?
    /// The index of the part's store.
    var store: Int

    /// Creates a part with random values. Values repeat, so that sort orders have ties and groups have
    /// several members.
    init(code: String, store: Int, using random: inout SeededRandom) {
        self.code = code
        self.store = store
        isSpare = random.next() % 4 == 0
        change(using: &random)
    }

    /// Chooses new random values.
    mutating func change(using random: inout SeededRandom) {
        func isSet() -> Bool { random.next() % 5 != 0 }
        number = isSet() ? Int(random.next() % 7) - 3 : nil
        weight = Int(random.next() % 5)
        // Sums of these numbers are exact, so they do not depend on the order.
        price = isSet() ? Double(random.next() % 16) / 4 - 1 : nil
        let letters = ["a", "A", "b", "é", "9", "10"]
        let end = letters[Int(random.next() % 6)] + letters[Int(random.next() % 6)]
        name = isSet() ? (random.next() % 2 == 0 ? end : "a long beginning " + end) : nil
        isNew = isSet() ? random.next() % 2 == 0 : nil
        made = isSet() ? Date(timeIntervalSinceReferenceDate: Double(random.next() % 4)) : nil
        kit = isSet() ? "kit \(random.next() % 3)" : nil
    }

    /// The values in the form that objects accept.
    var values: [String: Any?] {
        [
            "code": code, "number": number, "weight": weight, "price": price, "name": name,
            "isNew": isNew, "made": made,
        ]
    }

    // MARK: Orders

    /// The key paths by which records can be sorted.
    static let sortablePaths = ["number", "price", "name", "isNew", "made", "kit.name", "weight"]

    /// Compares two records by one key path. The result is negative, zero or positive.
    static func order(_ left: Self, _ right: Self, by path: String) -> Int {
        switch path {
        case "number": order(left.number, right.number)
        case "weight": order(left.weight, right.weight)
        case "price": order(left.price, right.price)
        case "isNew": order(left.isNew.map { $0 ? 1 : 0 }, right.isNew.map { $0 ? 1 : 0 })
        case "made": order(left.made, right.made)
        case "name": order(left.name.map(scalars), right.name.map(scalars))
        case "kit.name": order(left.kit, right.kit)
        default: order(left.code, right.code)
        }
    }

    /// Returns a text that sorts in the order of Unicode scalars, by moving all scalars to one range.
    private static func scalars(_ text: String) -> String {
        text.unicodeScalars.map { String(UnicodeScalar(UInt32(0x4E00) + $0.value) ?? $0) }.joined()
    }

    private static func order<T: Comparable>(_ left: T?, _ right: T?) -> Int {
        switch (left, right) {
        case (let left?, let right?): left == right ? 0 : left < right ? -1 : 1
        case (nil, nil): 0
        case (nil, _?): -1
        case (_?, nil): 1
        }
    }
}

/// A predicate as text and as an equivalent function.
struct PartCondition: Sendable {
    let format: String?
    let holds: @Sendable (PartRecord) -> Bool

    static let all = [
        PartCondition(format: nil) { _ in true },
        PartCondition(format: "number >= 0") { ($0.number ?? -9) >= 0 },
        PartCondition(format: "number == nil") { $0.number == nil },
        PartCondition(format: "price > 0.5 AND weight < 4") {
            ($0.price ?? -9) > 0.5 && $0.weight < 4
        },
        PartCondition(format: "name BEGINSWITH 'a'") { $0.name?.hasPrefix("a") ?? false },
        PartCondition(format: "name LIKE '*b*'") { $0.name?.contains("b") ?? false },
        PartCondition(format: "isNew == YES OR number == 2") {
            $0.isNew == true || $0.number == 2
        },
        PartCondition(format: "kit.name == 'kit 1'") { $0.kit == "kit 1" },
        PartCondition(format: "number > 100") { _ in false },
    ]
}
