/// The properties along a key path, read from the memory of the key path object.
///
/// Two key paths to the same inherited property are not equal if they begin at different classes, and Swift
/// can append key paths only if all types are known. But the identifier of the property is the same in all of
/// these key paths. It is read from the key path object's memory, whose layout is defined in `KeyPath.swift`
/// of Swift's standard library. Foundation reads it in the same way to check predicates.
struct PropertySteps: Equatable {
    /// The identifier of each property, which depends on where its getter is declared.
    let identifiers: [UInt]

    /// Reads a key path. Returns `nil` if a step is not a computed property of a class. The steps `?` and `!`
    /// are allowed.
    init?(_ path: AnyKeyPath) {
        let object = Unmanaged.passUnretained(path).toOpaque()
        let byteCount = Int(
            object.load(fromByteOffset: Self.sizeOffset, as: UInt32.self) & 0xFF_FFFF)
        var offset = Self.sizeOffset + 8
        let end = offset + byteCount
        var identifiers: [UInt] = []
        while offset + 8 <= end {
            let header = object.load(fromByteOffset: offset, as: UInt32.self)
            switch Kind(rawValue: header >> 24 & 0x7F) {
            case .computed where header & Self.hasArguments == 0:
                identifiers.append(object.load(fromByteOffset: offset + 8, as: UInt.self))
                // The header, the identifier, the getter, and the setter if there is one.
                offset += header & Self.isSettable == 0 ? 24 : 32
            case .optional: offset += 8
            case .computed, nil: return nil
            }
            // The type between two steps. It is missing after the last step.
            offset += 8
        }
        withExtendedLifetime(path) {}
        self.identifiers = identifiers
    }

    /// The two properties that return the object's ID.
    static let ofObjectID = [
        PropertySteps(\ManagedObject.objectID), PropertySteps(\ManagedObject.entityID),
    ].compactMap(\.self)

    /// The supported kinds of steps.
    private enum Kind: UInt32 {
        case computed = 2
        case optional = 4
    }

    /// The buffer comes after the object's header of two words, and a word for Objective-C.
    private static let sizeOffset = 24
    private static let isSettable: UInt32 = 0x40_0000
    private static let hasArguments: UInt32 = 0x8_0000
}
