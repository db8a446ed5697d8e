import Cairn
import Foundation
import Testing

/// The values that `setValue(_:forKey:)` accepts for numeric and Boolean attributes.
@Suite struct `Setting a number by key` {
    private static let numericKeys = ["int16", "int32", "int64", "double", "float", "decimal"]

    private func inSample(
        _ body: @Sendable (ManagedObject, ManagedObjectContext) throws -> Void
    ) throws {
        try inLibrary(.inMemory) { context in try body(try context.insert("Sample"), context) }
    }

    private static func number(_ object: ManagedObject, _ key: String) throws -> Double? {
        switch try object[key] {
        case .integer(let value): Double(value)
        case .double(let value): value
        case .float(let value): Double(value)
        case .decimal(let value): (value as NSDecimalNumber).doubleValue
        case .boolean(let value): value ? 1 : 0
        default: nil
        }
    }

    @Test(arguments: numericKeys, [0, 1, 2, -1, 127])
    func `accepts an NSNumber of an integer for every numeric attribute`(
        _ key: String, _ value: Int
    )
        throws
    {
        try inSample { sample, _ throws in
            try sample.setValue(NSNumber(value: value), forKey: key)

            #expect(try Self.number(sample, key) == Double(value))
        }
    }

    @Test(arguments: numericKeys, [0.0, 1.0, 2.0])
    func `accepts an NSNumber of a whole double for every numeric attribute`(
        _ key: String, _ value: Double
    ) throws {
        try inSample { sample, _ throws in
            try sample.setValue(NSNumber(value: value), forKey: key)

            #expect(try Self.number(sample, key) == value)
        }
    }

    @Test(arguments: ["int16", "int32", "int64", "double", "float", "decimal"])
    func `accepts an NSDecimalNumber for every numeric attribute`(_ key: String) throws {
        try inSample { sample, _ throws in
            for text in ["0", "1", "7"] {
                try sample.setValue(NSDecimalNumber(string: text), forKey: key)
                #expect(try Self.number(sample, key) == Double(text))
            }
        }
    }

    @Test(arguments: chosenEngines)
    func `accepts and stores values straight from JSON`(_ type: StoreType) throws {
        let json = #"{"int16":0,"int32":1,"int64":2,"double":1,"float":0,"decimal":1,"flag":true}"#

        let stack = try Library.stack(type)
        try stack.fill { context throws in
            let values = try #require(
                try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
            let sample = try context.insert("Sample")
            for (key, value) in values { try sample.setValue(value, forKey: key) }
        }

        try stack.inContext { context throws in
            let sample = try context.only("Sample")
            #expect(try sample["int16"] == 0)
            #expect(try sample["int32"] == 1)
            #expect(try sample["int64"] == 2)
            #expect(try sample["double"] == .double(1))
            #expect(try sample["float"] == .float(0))
            #expect(try sample["decimal"] == .decimal(1))
            #expect(try sample["flag"] == .boolean(true))
        }
    }

    @Test(arguments: ["0", "1", "false", "true"])
    func `accepts numbers and Booleans of JSON for a Boolean attribute`(_ text: String) throws {
        try inSample { sample, _ throws in
            let values = try JSONSerialization.jsonObject(with: Data("[\(text)]".utf8))
            let value = try #require((values as? [Any])?.first)

            try sample.setValue(value, forKey: "flag")

            #expect(try sample["flag"] == .boolean(text == "1" || text == "true"))
        }
    }

    @Test func `accepts integers for a Boolean attribute, and all except 0 are true`() throws {
        try inSample { sample, _ throws in
            for (number, expected) in [(0, false), (1, true), (2, true), (-3, true)] {
                try sample.setValue(number, forKey: "flag")
                #expect(try sample["flag"] == .boolean(expected))
            }
        }
    }

    @Test(arguments: numericKeys)
    func `stores a Boolean as 1 or 0 in a numeric attribute`(_ key: String) throws {
        try inSample { sample, _ throws in
            try sample.setValue(true, forKey: key)
            #expect(try Self.number(sample, key) == 1)
            try sample.setValue(NSNumber(value: false), forKey: key)
            #expect(try Self.number(sample, key) == 0)
        }
    }

    @Test(arguments: ["int16", "int32", "int64"])
    func `drops the fraction in an integer attribute, as Core Data's stores do`(_ key: String)
        throws
    {
        try inSample { sample, _ throws in
            for (value, kept) in [(1.5, 1), (-1.5, -1), (0.9, 0)] as [(Double, Int64)] {
                try sample.setValue(value, forKey: key)
                #expect(try sample[key] == .integer(kept))
                try sample.setValue(NSNumber(value: value), forKey: key)
                #expect(try sample[key] == .integer(kept))
            }
            try sample.setValue(Decimal(string: "2.75"), forKey: key)
            #expect(try sample[key] == 2)
        }
    }

    @Test(arguments: [
        ("int16", 40_000.0), ("int16", -40_000.0), ("int32", 3e9), ("int64", 1e19),
        ("int64", .infinity), ("int16", .nan), ("float", 1e300),
    ])
    func `refuses a number beyond an attribute's range, and names the range`(
        _ key: String, _ value: Double
    ) throws {
        try inSample { sample, _ throws in
            for given in [value, NSNumber(value: value)] as [Any] {
                let error = #expect(throws: GraphError.self) {
                    try sample.setValue(given, forKey: key)
                }
                #expect(error?.description.contains("Sample.\(key)") == true)
                #expect(error?.description.contains("range") == true)
            }
            #expect(try sample[key] == .null)
        }
    }

    @Test func `refuses an unsigned number beyond Int64 for an integer, but not for a double`()
        throws
    {
        try inSample { sample, _ throws in
            for given in [UInt64.max, NSNumber(value: UInt64.max)] as [Any] {
                #expect(throws: GraphError.self) { try sample.setValue(given, forKey: "int64") }
                try sample.setValue(given, forKey: "decimal")
                #expect(try sample["decimal"] == .decimal(Decimal(UInt64.max)))
            }
        }
    }

    @Test(arguments: ["int16", "flag", "double", "decimal", "date", "uuid", "data"])
    func `refuses text for a number or another kind of value`(_ key: String) throws {
        try inSample { sample, _ throws in
            #expect(throws: GraphError.self) { try sample.setValue("1", forKey: key) }
        }
    }

    @Test(arguments: ["text", "date", "uuid", "uri", "data"])
    func `refuses a number for an attribute that is not numeric`(_ key: String) throws {
        try inSample { sample, _ throws in
            for given in [1, NSNumber(value: 1), true] as [Any] {
                #expect(throws: GraphError.self) { try sample.setValue(given, forKey: key) }
            }
        }
    }

    @Test func `refuses NSNull, as Core Data does, and accepts nil`() throws {
        try inSample { sample, _ throws in
            try sample.setValue(5, forKey: "int64")

            #expect(throws: GraphError.self) { try sample.setValue(NSNull(), forKey: "int64") }
            try sample.setValue(nil, forKey: "int64")

            #expect(try sample["int64"] == .null)
        }
    }

    @Test func `keeps digits of a decimal that a double would lose`() throws {
        try inSample { sample, _ throws in
            let exact = "12345678901234567.89"

            try sample.setValue(NSDecimalNumber(string: exact), forKey: "decimal")

            #expect(try sample["decimal"] == .decimal(try #require(Decimal(string: exact))))
        }
    }

    @Test func `accepts Foundation's classes for attributes of their types`() throws {
        try inSample { sample, _ throws in
            let id = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
            try sample.setValue(NSString(string: "x"), forKey: "text")
            try sample.setValue(NSDate(timeIntervalSinceReferenceDate: 5), forKey: "date")
            try sample.setValue(NSUUID(uuidString: id.uuidString), forKey: "uuid")
            try sample.setValue(NSData(data: Data([1, 2])), forKey: "data")
            try sample.setValue(NSURL(string: "https://example.org"), forKey: "uri")

            #expect(try sample["text"] == "x")
            #expect(try sample["date"] == .date(Date(timeIntervalSinceReferenceDate: 5)))
            #expect(try sample["uuid"] == .uuid(id))
            #expect(try sample["data"] == .binary(Data([1, 2])))
            #expect(try sample.value(forKey: "uri") as? URL == URL(string: "https://example.org"))
        }
    }

    @Test func `accepts the same numbers for primitive values and in validation`() throws {
        try inSample { sample, _ throws in
            try sample.setPrimitiveValue(NSNumber(value: 1), forKey: "int64")
            let checked = try sample.validateValue(NSNumber(value: 1), forKey: "int64")

            #expect(try sample["int64"] == 1)
            #expect(checked as? Int64 == 1)
        }
    }
}
