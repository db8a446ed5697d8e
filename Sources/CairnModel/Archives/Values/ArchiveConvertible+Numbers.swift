import Foundation

extension ArchivableValue {
    /// Creates an ``integer(_:)``, or an ``unsigned(_:)`` if the number is greater than `Int64.max`. Returns
    /// `nil` if it is greater than `UInt64.max` or less than `Int64.min`.
    package init?(exactly number: some BinaryInteger) {
        if let value = Int64(exactly: number) {
            self = .integer(value)
        } else if let value = UInt64(exactly: number) {
            self = .unsigned(value)
        } else {
            return nil
        }
    }

    /// Returns the integer converted to another width. Returns `nil` for an integer out of its range, and
    /// for other values.
    fileprivate func integer<T: FixedWidthInteger>(as type: T.Type) -> T? {
        switch self {
        case .integer(let value): T(exactly: value)
        case .unsigned(let value): T(exactly: value)
        default: nil
        }
    }

    /// The number as a floating-point number. `nil` for values that are not numbers, including Booleans.
    fileprivate var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .real(let value): value
        case .decimal(let value): NSDecimalNumber(decimal: value).doubleValue
        default: nil
        }
    }
}

extension ArchiveConvertible where Self: FixedWidthInteger {
    /// Creates an integer from an archived one. Returns `nil` if the integer is out of range.
    public init?(archivable value: ArchivableValue) {
        guard let number = value.integer(as: Self.self) else { return nil }
        self = number
    }
    /// The value as an integer. Integers of more than 64 bits do not fit in archives and become null.
    public var archivable: ArchivableValue { ArchivableValue(exactly: self) ?? .null }
}

extension Int: ArchiveConvertible {}
extension Int8: ArchiveConvertible {}
extension Int16: ArchiveConvertible {}
extension Int32: ArchiveConvertible {}
extension Int64: ArchiveConvertible {}
extension UInt: ArchiveConvertible {}
extension UInt8: ArchiveConvertible {}
extension UInt16: ArchiveConvertible {}
extension UInt32: ArchiveConvertible {}
extension UInt64: ArchiveConvertible {}

extension Double: ArchiveConvertible {
    /// Creates a number from any archived number.
    public init?(archivable value: ArchivableValue) {
        guard let number = value.number else { return nil }
        self = number
    }
    /// The value as a floating-point number.
    public var archivable: ArchivableValue { .real(self) }
}

extension Float: ArchiveConvertible {
    /// Creates a number from any archived number, which is rounded if necessary.
    public init?(archivable value: ArchivableValue) {
        guard let number = value.number else { return nil }
        self = Float(number)
    }
    /// The value as a floating-point number.
    public var archivable: ArchivableValue { .real(Double(self)) }
}

extension Decimal: ArchiveConvertible {
    /// Creates a decimal from an archived decimal or integer.
    public init?(archivable value: ArchivableValue) {
        switch value {
        case .decimal(let value): self = value
        case .integer(let value): self = Decimal(value)
        case .unsigned(let value): self = Decimal(value)
        default: return nil
        }
    }
    /// The value as a decimal.
    public var archivable: ArchivableValue { .decimal(self) }
}
