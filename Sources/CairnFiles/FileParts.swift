/// The bytes of a file in parts. Large parts that are already in memory are written without copying
/// them.
package struct FileParts {
    private enum Part {
        /// A range of ``own``.
        case own(Range<Int>)
        case held(UnsafeRawBufferPointer)
    }

    /// Shorter parts are copied, because each part of a system call costs time.
    private static let fewestHeld = 1024

    private var own: [UInt8]
    private var parts: [Part] = []
    /// The offset of the first byte in ``own`` that is not in a part yet.
    private var ownStart = 0
    private var heldByteCount = 0
    /// Adjacent bytes that belong to the owner and are not in a part yet.
    private var held = UnsafeRawBufferPointer(start: nil, count: 0)
    /// Keeps the bytes alive that are not in ``own``.
    private let owner: Any?

    /// Creates an empty value.
    ///
    /// - Parameter owner: keeps the bytes that are added with ``append(held:)`` alive and
    ///   unchanged.
    package init(owner: Any?) {
        own = []
        self.owner = owner
    }

    /// Creates a value with the given bytes.
    package init(_ bytes: [UInt8]) {
        own = bytes
        owner = nil
    }

    /// The number of bytes.
    package var count: Int { own.count + heldByteCount + held.count }

    /// All bytes in order. Nothing is copied if all of them are in ``own``.
    package var bytes: [UInt8] {
        guard heldByteCount + held.count > 0 else { return own }
        return withParts { parts in Array(parts.joined()) }
    }

    /// Returns the offset in ``own`` at which the next bytes are added.
    package mutating func nextOwnOffset() -> Int {
        endHeld()
        return own.count
    }

    /// Appends a copy of the bytes to ``own``.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        endHeld()
        own.append(contentsOf: bytes)
    }

    /// Appends bytes without copying them, unless they are few.
    ///
    /// - Precondition: the owner keeps the bytes alive and unchanged.
    package mutating func append(held bytes: UnsafeRawBufferPointer) {
        if let end = held.baseAddress.map({ $0 + held.count }), end == bytes.baseAddress {
            held = UnsafeRawBufferPointer(start: held.baseAddress, count: held.count + bytes.count)
        } else {
            endHeld()
            held = bytes
        }
    }

    /// Overwrites bytes in ``own`` at an offset.
    ///
    /// - Precondition: From the offset on, ``own`` has at least as many bytes as the argument.
    package mutating func overwrite(_ bytes: UnsafeRawBufferPointer, atOwn offset: Int) {
        own.withUnsafeMutableBytes { own in
            UnsafeMutableRawBufferPointer(rebasing: own[offset..<offset + bytes.count])
                .copyMemory(from: bytes)
        }
    }

    private mutating func endHeld() {
        if held.isEmpty { return }
        if held.count < Self.fewestHeld {
            own.append(contentsOf: held)
        } else {
            if ownStart < own.count { parts.append(.own(ownStart..<own.count)) }
            ownStart = own.count
            parts.append(.held(held))
            heldByteCount += held.count
        }
        held = UnsafeRawBufferPointer(start: nil, count: 0)
    }

    /// Calls the body with all bytes in order, as parts. The last part contains bytes of ``own``,
    /// and may be empty.
    package func withParts<Result>(_ body: ([UnsafeRawBufferPointer]) -> Result) -> Result {
        withExtendedLifetime(owner) {
            var whole = self
            whole.endHeld()
            return whole.own.withUnsafeBytes { own in
                var blocks = whole.parts.map { part in
                    switch part {
                    case .own(let range): UnsafeRawBufferPointer(rebasing: own[range])
                    case .held(let bytes): bytes
                    }
                }
                blocks.append(UnsafeRawBufferPointer(rebasing: own[whole.ownStart...]))
                return body(blocks)
            }
        }
    }
}
