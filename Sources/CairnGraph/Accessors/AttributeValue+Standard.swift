import CairnModel
import CairnStore
import Foundation

// The attribute types of Core Data, one after the other. Fast reads must return the same values as general
// reads; `AccessorTests` compares them.

extension Int: AttributeValue {
    /// Attributes of type Integer 64.
    public static var attributeTypes: [AttributeType] { [.integer64] }
    /// Nil is read as zero.
    public static var readsNilAsZero: Bool { true }
    /// Zero.
    public static var valueOfNil: Int { 0 }
    /// Converts the number of an attribute of this type. Returns `nil` for any other value.
    public init?(attributeValue: Value) {
        guard case .integer(let value) = attributeValue, let value = Int(exactly: value) else {
            return nil
        }
        self = value
    }
    /// The number as the value of an attribute.
    public var attributeValue: Value { .integer(Int64(self)) }

    /// Whether the slot has the type Integer 64.
    @inlinable @inline(__always)
    public static func readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.int64.code
    }

    /// Returns the number in the row.
    @inlinable @inline(__always)
    public static func packedValue(_ value: PackedValue) -> Int? {
        Int(value.number(as: Int64.self))
    }
}

extension Int64: AttributeValue {
    /// Attributes of type Integer 64.
    public static var attributeTypes: [AttributeType] { [.integer64] }
    /// Nil is read as zero.
    public static var readsNilAsZero: Bool { true }
    /// Zero.
    public static var valueOfNil: Int64 { 0 }
    /// Converts the number of an attribute of this type. Returns `nil` for any other value.
    public init?(attributeValue: Value) {
        guard case .integer(let value) = attributeValue else { return nil }
        self = value
    }
    /// The number as the value of an attribute.
    public var attributeValue: Value { .integer(self) }

    /// Whether the slot has the type Integer 64.
    @inlinable @inline(__always)
    public static func readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.int64.code
    }

    /// Returns the number in the row.
    @inlinable @inline(__always)
    public static func packedValue(_ value: PackedValue) -> Int64? {
        value.number(as: Int64.self)
    }
}

extension Int32: AttributeValue {
    /// Attributes of type Integer 32.
    public static var attributeTypes: [AttributeType] { [.integer32] }
    /// Nil is read as zero.
    public static var readsNilAsZero: Bool { true }
    /// Zero.
    public static var valueOfNil: Int32 { 0 }
    /// Converts the number of an attribute of this type. Returns `nil` for any other value.
    public init?(attributeValue: Value) {
        guard case .integer(let value) = attributeValue, let value = Int32(exactly: value) else {
            return nil
        }
        self = value
    }
    /// The number as the value of an attribute.
    public var attributeValue: Value { .integer(Int64(self)) }

    /// Whether the slot has the type Integer 32.
    @inlinable @inline(__always)
    public static func readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.int32.code
    }

    /// Returns the number in the row.
    @inlinable @inline(__always)
    public static func packedValue(_ value: PackedValue) -> Int32? {
        value.number(as: Int32.self)
    }
}

extension Int16: AttributeValue {
    /// Attributes of type Integer 16.
    public static var attributeTypes: [AttributeType] { [.integer16] }
    /// Nil is read as zero.
    public static var readsNilAsZero: Bool { true }
    /// Zero.
    public static var valueOfNil: Int16 { 0 }
    /// Converts the number of an attribute of this type. Returns `nil` for any other value.
    public init?(attributeValue: Value) {
        guard case .integer(let value) = attributeValue, let value = Int16(exactly: value) else {
            return nil
        }
        self = value
    }
    /// The number as the value of an attribute.
    public var attributeValue: Value { .integer(Int64(self)) }

    /// Whether the slot has the type Integer 16.
    @inlinable @inline(__always)
    public static func readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.int16.code
    }

    /// Returns the number in the row.
    @inlinable @inline(__always)
    public static func packedValue(_ value: PackedValue) -> Int16? {
        value.number(as: Int16.self)
    }
}

extension Double: AttributeValue {
    /// Attributes of type Double.
    public static var attributeTypes: [AttributeType] { [.double] }
    /// Nil is read as zero.
    public static var readsNilAsZero: Bool { true }
    /// Zero.
    public static var valueOfNil: Double { 0 }
    /// Converts the number of an attribute of this type. Returns `nil` for any other value.
    public init?(attributeValue: Value) {
        guard case .double(let value) = attributeValue else { return nil }
        self = value
    }
    /// The number as the value of an attribute.
    public var attributeValue: Value { .double(self) }

    /// Whether the slot has the type Double.
    @inlinable @inline(__always)
    public static func readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.double.code
    }

    /// Returns the number in the row.
    @inlinable @inline(__always)
    public static func packedValue(_ value: PackedValue) -> Double? {
        value.double
    }
}

extension Float: AttributeValue {
    /// Attributes of type Float.
    public static var attributeTypes: [AttributeType] { [.float] }
    /// Nil is read as zero.
    public static var readsNilAsZero: Bool { true }
    /// Zero.
    public static var valueOfNil: Float { 0 }
    /// Converts the number of an attribute of this type. Returns `nil` for any other value.
    public init?(attributeValue: Value) {
        guard case .float(let value) = attributeValue else { return nil }
        self = value
    }
    /// The number as the value of an attribute.
    public var attributeValue: Value { .float(self) }

    /// Whether the slot has the type Float.
    @inlinable @inline(__always)
    public static func readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.float.code
    }

    /// Returns the number in the row.
    @inlinable @inline(__always)
    public static func packedValue(_ value: PackedValue) -> Float? {
        value.float
    }
}

extension Bool: AttributeValue {
    /// Attributes of type Boolean.
    public static var attributeTypes: [AttributeType] { [.boolean] }
    /// Nil is read as zero.
    public static var readsNilAsZero: Bool { true }
    /// `false`.
    public static var valueOfNil: Bool { false }
    /// Converts the Boolean of an attribute of this type. Returns `nil` for any other value.
    public init?(attributeValue: Value) {
        guard case .boolean(let value) = attributeValue else { return nil }
        self = value
    }
    /// The Boolean as the value of an attribute.
    public var attributeValue: Value { .boolean(self) }

    /// Whether the slot has the type Boolean.
    @inlinable @inline(__always)
    public static func readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.boolean.code
    }

    /// Returns the Boolean in the row.
    @inlinable @inline(__always)
    public static func packedValue(_ value: PackedValue) -> Bool? {
        value.number(as: UInt8.self) != 0
    }
}

extension String: AttributeValue {
    /// Attributes of type String.
    public static var attributeTypes: [AttributeType] { [.string] }
    /// An empty string.
    public static var valueOfNil: String { "" }
    /// Converts the string of an attribute of this type. Returns `nil` for any other value.
    public init?(attributeValue: Value) {
        guard case .string(let value) = attributeValue else { return nil }
        self = value
    }
    /// The string as the value of an attribute.
    public var attributeValue: Value { .string(self) }

    /// Whether the slot has the type String.
    @inlinable @inline(__always)
    public static func readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.string.code
    }

    /// Returns the string in the row.
    @inlinable @inline(__always)
    public static func packedValue(_ value: PackedValue) -> String? {
        value.string
    }
}

extension Date: AttributeValue {
    /// Attributes of type Date.
    public static var attributeTypes: [AttributeType] { [.date] }
    /// The distant past.
    public static var valueOfNil: Date { .distantPast }
    /// Converts the date of an attribute of this type. Returns `nil` for any other value.
    public init?(attributeValue: Value) {
        guard case .date(let value) = attributeValue else { return nil }
        self = value
    }
    /// The date as the value of an attribute.
    public var attributeValue: Value { .date(self) }

    /// Whether the slot has the type Date.
    @inlinable @inline(__always)
    public static func readsPacked(_ slot: RowLayout.Slot) -> Bool {
        slot.code == RowLayout.Kind.date.code
    }

    /// Returns the date in the row.
    @inlinable @inline(__always)
    public static func packedValue(_ value: PackedValue) -> Date? {
        Date(timeIntervalSinceReferenceDate: value.double)
    }
}

extension UUID: AttributeValue {
    /// Attributes of type UUID.
    public static var attributeTypes: [AttributeType] { [.uuid] }
    /// The UUID whose bytes are all zero.
    public static var valueOfNil: UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }
    /// Converts the UUID of an attribute of this type. Returns `nil` for any other value.
    public init?(attributeValue: Value) {
        guard case .uuid(let value) = attributeValue else { return nil }
        self = value
    }
    /// The UUID as the value of an attribute.
    public var attributeValue: Value { .uuid(self) }
}

extension Decimal: AttributeValue {
    /// Attributes of type Decimal.
    public static var attributeTypes: [AttributeType] { [.decimal] }
    /// Nil is read as zero.
    public static var readsNilAsZero: Bool { true }
    /// Zero.
    public static var valueOfNil: Decimal { 0 }
    /// Converts the number of an attribute of this type. Returns `nil` for any other value.
    public init?(attributeValue: Value) {
        guard case .decimal(let value) = attributeValue else { return nil }
        self = value
    }
    /// The number as the value of an attribute.
    public var attributeValue: Value { .decimal(self) }
}

extension URL: AttributeValue {
    /// Attributes of type URI.
    public static var attributeTypes: [AttributeType] { [.uri] }
    /// `about:blank`.
    public static var valueOfNil: URL { URL(string: "about:blank")! }
    /// Converts the URL of an attribute of this type. Returns `nil` for any other value.
    public init?(attributeValue: Value) {
        guard case .uri(let value) = attributeValue else { return nil }
        self = value
    }
    /// The URL as the value of an attribute.
    public var attributeValue: Value { .uri(self) }
}

extension Data: AttributeValue {
    /// Attributes of type Binary Data, and transformable attributes, whose values are archived bytes.
    public static var attributeTypes: [AttributeType] { [.binary, .transformable] }
    /// No bytes.
    public static var valueOfNil: Data { Data() }
    /// Converts the bytes of an attribute of this type. Returns `nil` for any other value.
    public init?(attributeValue: Value) {
        switch attributeValue {
        case .binary(let value), .transformable(let value): self = value
        default: return nil
        }
    }
    /// The bytes as the value of an attribute.
    public var attributeValue: Value { .binary(self) }
}
