import CairnModel
import CairnStore
import Foundation

// The types that attributes have in Core Data, one after the other. Each reads what the general way reads:
// `AccessorTests` compares them.

extension Int: AttributeValue {
    public static var attributeTypes: [AttributeType] { [.integer64] }
    public static var readsNilAsZero: Bool { true }
    public static var valueOfNil: Int { 0 }
    public init?(attributeValue: Value) {
        guard case .integer(let value) = attributeValue, let value = Int(exactly: value) else { return nil }
        self = value
    }
    public var attributeValue: Value { .integer(Int64(self)) }

    @inlinable @inline(__always)
    public static func readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.int64.code
    }

    @inlinable @inline(__always)
    public static func packedValue(_ value: PackedValue) -> Int? {
        Int(value.number(as: Int64.self))
    }
}

extension Int64: AttributeValue {
    public static var attributeTypes: [AttributeType] { [.integer64] }
    public static var readsNilAsZero: Bool { true }
    public static var valueOfNil: Int64 { 0 }
    public init?(attributeValue: Value) {
        guard case .integer(let value) = attributeValue else { return nil }
        self = value
    }
    public var attributeValue: Value { .integer(self) }

    @inlinable @inline(__always)
    public static func readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.int64.code
    }

    @inlinable @inline(__always)
    public static func packedValue(_ value: PackedValue) -> Int64? {
        value.number(as: Int64.self)
    }
}

extension Int32: AttributeValue {
    public static var attributeTypes: [AttributeType] { [.integer32] }
    public static var readsNilAsZero: Bool { true }
    public static var valueOfNil: Int32 { 0 }
    public init?(attributeValue: Value) {
        guard case .integer(let value) = attributeValue, let value = Int32(exactly: value) else { return nil }
        self = value
    }
    public var attributeValue: Value { .integer(Int64(self)) }

    @inlinable @inline(__always)
    public static func readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.int32.code
    }

    @inlinable @inline(__always)
    public static func packedValue(_ value: PackedValue) -> Int32? {
        value.number(as: Int32.self)
    }
}

extension Int16: AttributeValue {
    public static var attributeTypes: [AttributeType] { [.integer16] }
    public static var readsNilAsZero: Bool { true }
    public static var valueOfNil: Int16 { 0 }
    public init?(attributeValue: Value) {
        guard case .integer(let value) = attributeValue, let value = Int16(exactly: value) else { return nil }
        self = value
    }
    public var attributeValue: Value { .integer(Int64(self)) }

    @inlinable @inline(__always)
    public static func readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.int16.code
    }

    @inlinable @inline(__always)
    public static func packedValue(_ value: PackedValue) -> Int16? {
        value.number(as: Int16.self)
    }
}

extension Double: AttributeValue {
    public static var attributeTypes: [AttributeType] { [.double] }
    public static var readsNilAsZero: Bool { true }
    public static var valueOfNil: Double { 0 }
    public init?(attributeValue: Value) {
        guard case .double(let value) = attributeValue else { return nil }
        self = value
    }
    public var attributeValue: Value { .double(self) }

    @inlinable @inline(__always)
    public static func readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.double.code
    }

    @inlinable @inline(__always)
    public static func packedValue(_ value: PackedValue) -> Double? {
        value.double
    }
}

extension Float: AttributeValue {
    public static var attributeTypes: [AttributeType] { [.float] }
    public static var readsNilAsZero: Bool { true }
    public static var valueOfNil: Float { 0 }
    public init?(attributeValue: Value) {
        guard case .float(let value) = attributeValue else { return nil }
        self = value
    }
    public var attributeValue: Value { .float(self) }

    @inlinable @inline(__always)
    public static func readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.float.code
    }

    @inlinable @inline(__always)
    public static func packedValue(_ value: PackedValue) -> Float? {
        value.float
    }
}

extension Bool: AttributeValue {
    public static var attributeTypes: [AttributeType] { [.boolean] }
    public static var readsNilAsZero: Bool { true }
    public static var valueOfNil: Bool { false }
    public init?(attributeValue: Value) {
        guard case .boolean(let value) = attributeValue else { return nil }
        self = value
    }
    public var attributeValue: Value { .boolean(self) }

    @inlinable @inline(__always)
    public static func readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.boolean.code
    }

    @inlinable @inline(__always)
    public static func packedValue(_ value: PackedValue) -> Bool? {
        value.number(as: UInt8.self) != 0
    }
}

extension String: AttributeValue {
    public static var attributeTypes: [AttributeType] { [.string] }
    public static var valueOfNil: String { "" }
    public init?(attributeValue: Value) {
        guard case .string(let value) = attributeValue else { return nil }
        self = value
    }
    public var attributeValue: Value { .string(self) }

    @inlinable @inline(__always)
    public static func readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.string.code
    }

    @inlinable @inline(__always)
    public static func packedValue(_ value: PackedValue) -> String? {
        value.string
    }
}

extension Date: AttributeValue {
    public static var attributeTypes: [AttributeType] { [.date] }
    public static var valueOfNil: Date { .distantPast }
    public init?(attributeValue: Value) {
        guard case .date(let value) = attributeValue else { return nil }
        self = value
    }
    public var attributeValue: Value { .date(self) }

    @inlinable @inline(__always)
    public static func readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.date.code
    }

    @inlinable @inline(__always)
    public static func packedValue(_ value: PackedValue) -> Date? {
        Date(timeIntervalSinceReferenceDate: value.double)
    }
}

extension UUID: AttributeValue {
    public static var attributeTypes: [AttributeType] { [.uuid] }
    public static var valueOfNil: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
    public init?(attributeValue: Value) {
        guard case .uuid(let value) = attributeValue else { return nil }
        self = value
    }
    public var attributeValue: Value { .uuid(self) }
}

extension Decimal: AttributeValue {
    public static var attributeTypes: [AttributeType] { [.decimal] }
    public static var readsNilAsZero: Bool { true }
    public static var valueOfNil: Decimal { 0 }
    public init?(attributeValue: Value) {
        guard case .decimal(let value) = attributeValue else { return nil }
        self = value
    }
    public var attributeValue: Value { .decimal(self) }
}

extension URL: AttributeValue {
    public static var attributeTypes: [AttributeType] { [.uri] }
    public static var valueOfNil: URL { URL(string: "about:blank")! }
    public init?(attributeValue: Value) {
        guard case .uri(let value) = attributeValue else { return nil }
        self = value
    }
    public var attributeValue: Value { .uri(self) }
}

extension Data: AttributeValue {
    public static var attributeTypes: [AttributeType] { [.binary, .transformable] }
    public static var valueOfNil: Data { Data() }
    public init?(attributeValue: Value) {
        switch attributeValue {
        case .binary(let value), .transformable(let value): self = value
        default: return nil
        }
    }
    public var attributeValue: Value { .binary(self) }
}
