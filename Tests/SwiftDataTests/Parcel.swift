import Foundation
import SwiftData

struct Label: Codable, Hashable {
    var text: String
    var lines: [String] = []
}

enum Priority: Int, Codable {
    case low = 1
    case high = 5
}

enum Delivery: Codable, Hashable {
    case pickup
    case post(code: String, days: Int)
}

/// A model with an attribute of each kind of type.
@Model final class Parcel {
    var code: String = ""
    var flag = true
    var byte: Int8 = -8
    var short: Int16 = -16
    var word: Int32 = -32
    var long: Int64 = -64
    var number: Int = 7
    var unsignedByte: UInt8 = 200
    var unsignedShort: UInt16 = 60_000
    var unsignedWord: UInt32 = 4_000_000_000
    var unsigned: UInt = 9
    var unsignedLong: UInt64 = .max
    var real: Double = 1.5
    var single: Float = 2.5
    var exact: Decimal = 3.25
    var date: Date = Date(timeIntervalSinceReferenceDate: 100)
    var key: UUID = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    var link: URL = URL(filePath: "/tmp/a")
    var bytes: Data = Data([1, 2, 3])
    var label: Label = Label(text: "x")
    var priority: Priority = Priority.low
    var delivery: Delivery = Delivery.pickup
    var words: [String] = ["a"]
    var labels: [Label] = []
    var counts: [String: Int] = [:]
    var chosen: Set<Int> = [1]
    var maybeText: String?
    var maybeNumber: Int?
    var maybeFlag: Bool?
    var maybeDate: Date?
    var maybeLabel: Label?
    var maybePriority: Priority?
    var maybeWords: [String]?
    var maybeByte: UInt8?

    init(code: String) { self.code = code }
}
