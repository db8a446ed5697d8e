/// The bytes of a file in parts, some of them where they stand in memory already: what is large and
/// held anyway is written from there, and not copied first.
package struct FileParts {
    private enum Part {
        /// Of ``own``.
        case own(Range<Int>)
        case held(UnsafeRawBufferPointer)
    }

    /// Shorter parts are copied: the system looks at each part of a call.
    private static let fewestHeld = 1024

    private var own: [UInt8]
    private var parts: [Part] = []
    /// Where the own bytes begin that are in no part yet.
    private var ownStart = 0
    private var heldByteCount = 0
    /// Bytes of others that stand side by side, and are in no part yet.
    private var held = UnsafeRawBufferPointer(start: nil, count: 0)
    /// Keeps the bytes alive that are not the file's own.
    private let owner: Any?

    /// No bytes yet.
    ///
    /// - Parameter owner: keeps alive, and as they are, all bytes that are to be written from where
    ///   they stand.
    package init(owner: Any?) {
        own = []
        self.owner = owner
    }

    /// These bytes.
    package init(_ bytes: [UInt8]) {
        own = bytes
        owner = nil
    }

    /// How many bytes there are.
    package var count: Int { own.count + heldByteCount + held.count }

    /// All bytes in their order. Copies nothing if no bytes of others are among them.
    package var bytes: [UInt8] {
        guard heldByteCount + held.count > 0 else { return own }
        return withParts { parts in Array(parts.joined()) }
    }

    /// Returns where among the own bytes those will stand that are added next.
    package mutating func nextOwnPlace() -> Int {
        endHeld()
        return own.count
    }

    /// Adds bytes of which a copy is kept.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        endHeld()
        own.append(contentsOf: bytes)
    }

    /// Adds bytes that are written from where they stand.
    ///
    /// - Precondition: the owner keeps them alive and as they are.
    package mutating func append(held bytes: UnsafeRawBufferPointer) {
        if let end = held.baseAddress.map({ $0 + held.count }), end == bytes.baseAddress {
            held = UnsafeRawBufferPointer(start: held.baseAddress, count: held.count + bytes.count)
        } else {
            endHeld()
            held = bytes
        }
    }

    /// Overwrites own bytes.
    ///
    /// - Precondition: so many are there.
    package mutating func overwrite(_ bytes: UnsafeRawBufferPointer, atOwn place: Int) {
        own.withUnsafeMutableBytes { own in
            UnsafeMutableRawBufferPointer(rebasing: own[place..<place + bytes.count])
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

    /// Calls the body with all bytes in their order, part by part; the last part is own bytes, and
    /// may have none.
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
