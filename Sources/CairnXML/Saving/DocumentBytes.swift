/// The bytes of a document that is being written, in memory that grows and is not bounds-checked per byte.
struct DocumentBytes: ~Copyable {
    private var base: UnsafeMutableRawPointer
    private var capacity: Int
    /// The number of bytes written so far.
    private(set) var count = 0

    /// - Parameter capacity: The expected number of bytes. More can be appended.
    init(capacity: Int) {
        self.capacity = max(capacity, 4096)
        base = .allocate(byteCount: self.capacity, alignment: 16)
    }

    deinit { base.deallocate() }

    /// Calls the body with the bytes written so far.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        body(UnsafeRawBufferPointer(start: base, count: count))
    }

    // MARK: Unescaped

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        reserve(bytes.count)
        if let source = bytes.baseAddress {
            (base + count).copyMemory(from: source, byteCount: bytes.count)
        }
        count += bytes.count
    }

    mutating func append(_ bytes: [UInt8]) { bytes.withUnsafeBytes { append($0) } }

    /// Appends a part of the bytes of another document.
    mutating func append(_ part: Range<Int>, of other: borrowing DocumentBytes) {
        append(UnsafeRawBufferPointer(start: other.base + part.lowerBound, count: part.count))
    }

    mutating func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    /// Appends a number in decimal.
    mutating func append(_ number: Int64) {
        reserve(20)
        if number < 0 { put(UInt8(ascii: "-")) }
        var rest = number.magnitude
        let digitCount = Self.digitCount(rest)
        for offset in stride(from: count + digitCount - 1, through: count, by: -1) {
            base.storeBytes(of: UInt8(0x30 + rest % 10), toByteOffset: offset, as: UInt8.self)
            rest /= 10
        }
        count += digitCount
    }

    private static func digitCount(_ number: UInt64) -> Int {
        var (count, limit) = (1, UInt64(10))
        while number >= limit {
            count += 1
            let (next, isLast) = limit.multipliedReportingOverflow(by: 10)
            if isLast { return count }
            limit = next
        }
        return count
    }

    /// Appends the last digits of a number, padded with zeros.
    mutating func append(lastDigits digitCount: Int, of number: UInt64) {
        reserve(digitCount)
        var rest = number
        for offset in stride(from: count + digitCount - 1, through: count, by: -1) {
            base.storeBytes(of: UInt8(0x30 + rest % 10), toByteOffset: offset, as: UInt8.self)
            rest /= 10
        }
        count += digitCount
    }

    // MARK: Escaped

    /// Appends text for the content of an element, so that a parser restores it. This is not enough for the
    /// value of an XML attribute, in which parsers convert tabs and line feeds to spaces; ``XMLWriter``
    /// writes those.
    mutating func append(escaping bytes: UnsafeRawBufferPointer) {
        // The longest replacement takes six bytes.
        reserve(6 * bytes.count)
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "&"): append("&amp;")
            case UInt8(ascii: "<"): append("&lt;")
            case UInt8(ascii: ">"): append("&gt;")
            case UInt8(ascii: "\""): append("&quot;")
            // A parser would convert an unescaped carriage return to a line feed.
            case 0x0d: append("&#13;")
            default: put(byte)
            }
        }
    }

    // MARK: Capacity

    @inline(__always) private mutating func put(_ byte: UInt8) {
        base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    @inline(__always) private mutating func reserve(_ more: Int) {
        if count + more > capacity { grow(more) }
    }

    private mutating func grow(_ more: Int) {
        capacity = max(2 * capacity, count + more)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
        larger.copyMemory(from: base, byteCount: count)
        base.deallocate()
        base = larger
    }
}
