import Foundation

/// Writes a value as the keyed archive that Foundation would write.
///
/// Strings, numbers and data are plain objects of the property list. As in Apple's archives, all other
/// values are objects with a class.
struct KeyedValueWriter {
    private typealias Node = BinaryPropertyList.Node

    private var builder = KeyedArchiveBuilder()
    /// The object number of each value that is not a container. Equal values share one object.
    private var numbers: [ArchivableValue: Int] = [:]

    static func archive(of value: ArchivableValue) throws(ArchiveError) -> [UInt8] {
        var writer = KeyedValueWriter()
        let root = value == .null ? 0 : try writer.number(of: value, depth: 1)
        return writer.builder.finish(root: root)
    }

    /// Adds a value with its members and returns its object number.
    private mutating func number(
        of value: ArchivableValue, depth: Int
    ) throws(ArchiveError) -> Int {
        guard depth <= ArchivableValue.depthLimit else {
            throw .tooDeep(limit: ArchivableValue.depthLimit)
        }
        switch value {
        case .array(let members):
            return builder.add(list: try numbers(of: members, depth: depth))
        case .set(let members):
            let sorted = try Self.sorted(members)
            return builder.add(list: try numbers(of: sorted, depth: depth), as: "NSSet")
        case .orderedSet(let members):
            var fields: [(String, Node)] = []
            for (index, number) in try numbers(of: members, depth: depth).enumerated() {
                fields.append(("NS.object.\(index)", .reference(number)))
            }
            return builder.add("NSOrderedSet", fields)
        case .dictionary(let entries):
            let keys = try Self.sorted(entries.keys)
            let values = keys.map { entries[$0] ?? .null }
            let keyNumbers = try numbers(of: keys, depth: depth)
            let valueNumbers = try numbers(of: values, depth: depth)
            return builder.add(
                dictionary: zip(keyNumbers, valueNumbers).map { (key: $0, value: $1) })
        default:
            if let known = numbers[value] { return known }
            let number = self.number(ofSimple: value)
            numbers[value] = number
            return number
        }
    }

    private mutating func numbers(
        of members: [ArchivableValue], depth: Int
    ) throws(ArchiveError) -> [Int] {
        var numbers: [Int] = []
        for member in members { numbers.append(try number(of: member, depth: depth + 1)) }
        return numbers
    }

    private mutating func number(ofSimple value: ArchivableValue) -> Int {
        switch value {
        case .boolean(let value): return builder.add(node: .boolean(value))
        case .integer(let value): return builder.add(node: .integer(value))
        case .unsigned(let value): return builder.add(node: .unsigned(value))
        case .real(let value): return builder.add(node: .real(value))
        case .string(let value): return builder.add(node: .string(value))
        case .data(let value): return builder.add(node: .data(Array(value)))
        case .date(let value):
            return builder.add(
                "NSDate", [("NS.time", .real(value.timeIntervalSinceReferenceDate))])
        case .decimal(let value):
            return builder.add(ArchivedDecimal.className, ArchivedDecimal.fields(of: value))
        case .uuid(let value):
            let bytes = withUnsafeBytes(of: value.uuid) { Array($0) }
            return builder.add("NSUUID", [("NS.uuidbytes", .data(bytes))])
        case .url(let value):
            let text = builder.add(node: .string(value.absoluteString))
            return builder.add(
                "NSURL", [("NS.base", .reference(0)), ("NS.relative", .reference(text))])
        case .null, .array, .set, .orderedSet, .dictionary: return builder.add("NSNull", [])
        }
    }

    /// Returns the values in an order that depends only on the values. If all of them are strings, they are
    /// sorted by their UTF-8 bytes. Otherwise, all are sorted by their archives.
    static func sorted(
        _ values: some Collection<ArchivableValue>
    ) throws(ArchiveError) -> [ArchivableValue] {
        let texts = values.compactMap { value in
            if case .string(let text) = value { text } else { nil }
        }
        if texts.count == values.count {
            return texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { .string($0) }
        }
        var keyed: [(archive: [UInt8], value: ArchivableValue)] = []
        for value in values { keyed.append((try archive(of: value), value)) }
        return keyed.sorted { $0.archive.lexicographicallyPrecedes($1.archive) }.map(\.value)
    }
}

/// The fields of an archived `NSDecimalNumber`: a mantissa of up to eight 16-bit words.
package enum ArchivedDecimal {
    /// The class name that Foundation writes for decimals in archives.
    package static let className = "NSDecimalNumberPlaceholder"

    /// Returns the number, or `nil` if the exponent is outside the range of `Decimal`.
    ///
    /// - Parameters:
    ///   - mantissa: The bytes of the words, the least significant word first.
    ///   - exponent: The power of ten by which the mantissa is multiplied.
    ///   - wordCount: The number of words that are used. More than 8 count as 8.
    ///   - isBigEndian: Whether the bytes of each word are big-endian. They are if `NS.mantissa.bo`, the
    ///     `NSHostByteOrder()` of the writer, is 2.
    ///   - isNegative: Whether the number is negative. A negative number without words is NaN.
    package static func decimal(
        mantissa: [UInt8], exponent: Int64, wordCount: Int, isBigEndian: Bool, isNegative: Bool
    ) -> Decimal? {
        guard (-128...127).contains(exponent) else { return nil }
        let wordCount = min(max(wordCount, 0), 8)
        // As in `NSDecimal`, a negative number without words is NaN.
        if wordCount == 0 { return isNegative ? Decimal.nan : 0 }
        var significand: UInt128 = 0
        for word in (0..<wordCount).reversed() where 2 * word + 1 < mantissa.count {
            let (first, second) = (UInt128(mantissa[2 * word]), UInt128(mantissa[2 * word + 1]))
            significand =
                significand << 16 | (isBigEndian ? first << 8 | second : second << 8 | first)
        }
        return Decimal(string: "\(isNegative ? "-" : "")\(significand)e\(exponent)")
    }

    /// Returns the fields of a number in the form that Foundation writes.
    package static func fields(
        of decimal: Decimal
    ) -> [(String, BinaryPropertyList.Node)] {
        // As in `NSDecimal`, a negative number without words is NaN.
        let significand = decimal.isNaN ? 0 : UInt128(decimal.significand.description) ?? 0
        var mantissa: [UInt8] = []
        for byte in 0..<16 { mantissa.append(UInt8(truncatingIfNeeded: significand >> (8 * byte))) }
        let wordCount = (16 - significand.leadingZeroBitCount / 8 + 1) / 2
        return [
            ("NS.mantissa", .data(mantissa)), ("NS.mantissa.bo", .integer(1)),
            ("NS.exponent", .integer(Int64(decimal.isNaN ? 0 : decimal.exponent))),
            ("NS.length", .integer(Int64(significand == 0 ? 0 : wordCount))),
            ("NS.negative", .boolean(decimal.isNaN || decimal < 0)),
            ("NS.compact", .boolean(false)),
        ]
    }
}
