import CairnObjects

/// The properties along a key path, identified by the key path's memory.
///
/// Two key paths to the same inherited property differ if they start at different classes, and Swift can
/// append key paths only if all their types are known. The identifier of a property, however, is the same in
/// all of them. This type reads the identifiers from the memory of the runtime's object, whose layout is
/// documented in `KeyPath.swift` of Swift's standard library. Foundation reads the same memory to check
/// predicates.
package struct PropertySteps: Equatable {
    /// The identifiers of the properties, in order: where the getter is declared, or the offset of a stored property.
    package let identifiers: [UInt]

    /// Reads a key path. Returns `nil` if it has a step other than properties, `?` and `!`.
    package init?(_ path: AnyKeyPath) {
        let object = Unmanaged.passUnretained(path).toOpaque()
        let byteCount = Int(
            object.load(fromByteOffset: Self.sizeOffset, as: UInt32.self) & 0xFF_FFFF)
        var offset = Self.sizeOffset + 8
        let end = offset + byteCount
        var identifiers: [UInt] = []
        // The step of a stored property has only a header of four bytes.
        while offset + 4 <= end {
            let header = object.load(fromByteOffset: offset, as: UInt32.self)
            switch Kind(rawValue: header >> 24 & 0x7F) {
            case .computed where header & Self.hasArguments == 0:
                identifiers.append(object.load(fromByteOffset: offset + 8, as: UInt.self))
                // Skip the header, the identifier, the getter, and the setter if the property has one.
                offset += header & Self.isSettable == 0 ? 24 : 32
            case .member, .stored:
                let location = header & Self.offsetMask
                // A larger offset is outside the header.
                if location == Self.offsetMask { return nil }
                identifiers.append(UInt(location))
                offset += 8
            case .optional: offset += 8
            case .computed, nil: return nil
            }
            // Skip the type between two steps. The last step is not followed by a type.
            offset += 8
        }
        withExtendedLifetime(path) {}
        self.identifiers = identifiers
    }

    /// The steps of the two properties that return the object's ID.
    static let ofObjectID = [
        PropertySteps(\ManagedObject.objectID), PropertySteps(\ManagedObject.entityID),
    ].compactMap(\.self)

    /// The supported kinds of steps.
    private enum Kind: UInt32 {
        /// A stored property of a structure.
        case member = 1
        case computed = 2
        /// A stored property of a class.
        case stored = 3
        case optional = 4
    }

    /// The offset of the size: after the object's own two words, and one word for Objective-C.
    private static let sizeOffset = 24
    private static let isSettable: UInt32 = 0x40_0000
    private static let hasArguments: UInt32 = 0x8_0000
    /// The offset of a stored property, in the header of its step.
    private static let offsetMask: UInt32 = 0x7F_FFFF
}
