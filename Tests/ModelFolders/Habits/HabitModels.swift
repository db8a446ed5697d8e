// Apps seldom document their models.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation
import SwiftData

@Model
public final class Habit: @unchecked Sendable {
    public enum Goal: Codable, Hashable, Sendable {
        case daily
        case weekly(times: Int)
        case dates(Set<DateComponents>)
        indirect case either(Goal, Goal)
    }

    public enum Weight: Int16, Codable { case light = 1, heavy = 10 }
    public enum Level: UInt8, Codable { case low, high }
    public enum Score: Double, Codable { case half = 0.5, full = 1 }

    public struct Options: OptionSet, Codable, Hashable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        public static let reminder = Options(rawValue: 1 << 0)
        public static let badge = Options(rawValue: 1 << 1)
    }

    /// Keys with other names, and a property that is not encoded.
    public struct Reminder: Codable, Hashable, Sendable {
        public var hour: Int
        public var minuteOfHour: Int = 0
        public var scratch: Int = 7

        enum CodingKeys: String, CodingKey {
            case hour = "h"
            case minuteOfHour = "minute_of_hour"
        }
    }

    /// A tree.
    public struct Step: Codable, Hashable, Sendable {
        public var name: String
        public var steps: [Step] = []
    }

    public final class Notebook: Codable, Equatable {
        public var pages: [String] = []
        public var title: String?

        public init() {}

        public static func == (left: Notebook, right: Notebook) -> Bool {
            left.pages == right.pages && left.title == right.title
        }
    }

    public struct Pair<First: Codable & Hashable, Second: Codable & Hashable>: Codable, Hashable {
        public var first: First
        public var second: Second
    }

    public struct Validated: Codable, Hashable {
        public let text: String

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            text = try container.decode(String.self, forKey: .text)
            guard !text.isEmpty else {
                throw DecodingError.dataCorruptedError(
                    forKey: .text, in: container, debugDescription: "empty")
            }
        }

        public init(_ text: String) { self.text = text }
    }

    @Attribute(.unique) public var id = UUID()
    public var name: String = "New Habit"
    public var details = ""
    public var goal: Goal = Goal.daily
    public var weight: Weight? = Weight.light
    public var level = Level.high
    public var score: Score = .full
    public var options: Options = [.reminder, .badge]
    public var reminder: Reminder?
    public var reminders: [Reminder] = []
    public var steps = Step(name: "root")
    public var notebook = Notebook()
    public var pair = Pair(first: 1, second: "one")
    public var maybePair: Pair<Bool, [Int]>?
    public var validated: Validated?
    public var created: Date = Date.now
    public var interval: ClosedRange<Date> = Date.distantPast...Date.distantFuture
    public var days: Range<Int> = 0..<7
    public var color: [Double] = [0.1, 0.2]
    public var zone: TimeZone? = TimeZone(identifier: "Europe/Berlin")
    public var locale = Locale(identifier: "de_DE")
    public var size = CGSize(width: 10, height: 20)
    public var angle: CGFloat = 0.5
    public var price: Decimal = 9.99
    public var time: Duration = .seconds(90)
    public var bits: UInt32 = .max
    public var large: UInt64 = .max
    public var small: Int8 = -8
    public var ratio: Float = 0.25
    public var blob: Data = Data([1, 2, 3])
    public var link: URL = URL(string: "https://example.com")!
    public var counts: [Weekday: Int] = [.monday: 1]
    public var history: [Date: [String]]?
    public var indices = IndexSet([1, 2, 5])
    public var matrix: [[Int]] = [[1, 2], [3]]
    public var optionals: [Int?] = [1, nil, 3]
    public var components = DateComponents(hour: 7, minute: 30)
    public var person: PersonNameComponents?
    public var result: [String: [String: Int?]] = ["a": ["b": 1]]
    public var nested: Int?? = 3
    public var measure: Measurement<UnitLength> = Measurement(value: 3, unit: .kilometers)
    public var vector: SIMD2<Float> = [1, 2]
    public var identifier: ObjectIdentifierText = "abc"

    #if os(Linux) || os(macOS)
    @Transient public var desktop = true
    #endif

    public init() {}

    public required init(name: String) {
        self.name = name
        details = "made of \(self.name)"
        let total = [1, 2, 3].reduce(0, +)
        for index in 0..<total where index > 4 { level = .low }
        if details.isEmpty { weight = nil } else { weight = .heavy }
        defer { score = .half }
        update()
    }

    func update() { options.remove(.badge) }
}

public enum Weekday: String, Codable, CodingKeyRepresentable { case monday, tuesday }

/// A text with a type of its own.
public struct ObjectIdentifierText:
    RawRepresentable, Codable, Hashable, ExpressibleByStringLiteral, Sendable
{
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(stringLiteral value: String) { rawValue = value }
}
