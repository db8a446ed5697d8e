/// The properties that a key path follows, as its own memory names them.
///
/// Two key paths of one inherited property differ where they begin at different classes, and Swift joins key paths
/// only where all types are known. The identifier of a property is the same in all of them. It is read from
/// where the runtime keeps it, in the layout of `KeyPath.swift` in Swift's standard library, which Foundation
/// reads in the same way to check predicates.
struct PropertySteps: Equatable {
    /// What identifies each property: where its getter is declared.
    let identifiers: [UInt]

    /// Reads a key path. `nil` if it has a step that is no computed property of a class, apart from `?` and
    /// `!`.
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
            // The type in between, unless this was the last step.
            offset += 8
        }
        withExtendedLifetime(path) {}
        self.identifiers = identifiers
    }

    /// The two properties that are the object's ID.
    static let ofObjectID = [
        PropertySteps(\ManagedObject.objectID), PropertySteps(\ManagedObject.entityID),
    ].compactMap(\.self)

    /// The kinds of steps that are read.
    private enum Kind: UInt32 {
        case computed = 2
        case optional = 4
    }

    /// After the object's own two words, and one for Objective-C.
    private static let sizeOffset = 24
    private static let isSettable: UInt32 = 0x40_0000
    private static let hasArguments: UInt32 = 0x8_0000
}
