import CairnModel

/// Tells which classes override hooks: the checks of values and objects, and `willSave`.
///
/// Without this, a save would have to call ``ManagedObject/validate(_:forKey:)`` for each value of each
/// new object, and to copy the value before each call and compare it afterwards. That would be a tenth
/// of the cost of a save, although most classes do not override the hook. Swift does not tell whether a
/// class overrides a method, but the runtime must know: a call looks the method up in the class's
/// method table. If two classes have the same table entry for a hook, a call of the hook runs the same
/// code.
///
/// The index of a hook's entry is found by comparing two classes that differ only in that hook, so the
/// order of the table does not matter. If anything looks different from what is expected, every class
/// counts as one that overrides the hook. That is slower, and always correct.
enum OverriddenHooks {
    private class Plain: ManagedObject {}

    private class Checking: ManagedObject {
        struct Refused: Error {}
        override func validate(_ value: inout Value, forKey key: String) throws { throw Refused() }
    }

    private class CheckingInsertion: ManagedObject {
        override func validateForInsert() throws { throw Checking.Refused() }
    }

    private class CheckingUpdate: ManagedObject {
        override func validateForUpdate() throws { throw Checking.Refused() }
    }

    private class CheckingDeletion: ManagedObject {
        override func validateForDelete() throws { throw Checking.Refused() }
    }

    private class Saving: ManagedObject {
        override func willSave() { preconditionFailure("objects of this class are never made") }
    }

    /// Returns whether the class or a superclass overrides the check of values. Returns `true` if that
    /// is not known.
    static func checksValues(_ objectClass: ManagedObject.Type) -> Bool {
        overrides(placeOfCheck, objectClass)
    }

    /// Returns whether the class or a superclass overrides one of the four validation hooks. Returns
    /// `true` if that is not known.
    static func validates(_ objectClass: ManagedObject.Type) -> Bool {
        checksValues(objectClass) || placesOfValidation.contains { overrides($0, objectClass) }
    }

    /// Returns whether the class or a superclass overrides `willSave`. Returns `true` if that is not
    /// known.
    static func preparesSave(_ objectClass: ManagedObject.Type) -> Bool {
        overrides(placeOfWillSave, objectClass)
    }

    private static func overrides(_ place: Int?, _ objectClass: ManagedObject.Type) -> Bool {
        guard let place else { return true }
        return entry(place, of: objectClass) != entry(place, of: ManagedObject.self)
    }

    // The indices of the hooks' entries in method tables. `nil` if they are not known.
    private static let placeOfCheck = place(ofHookIn: Checking.self)
    private static let placesOfValidation = [
        place(ofHookIn: CheckingInsertion.self), place(ofHookIn: CheckingUpdate.self),
        place(ofHookIn: CheckingDeletion.self),
    ]
    private static let placeOfWillSave = place(ofHookIn: Saving.self)

    /// Returns the index of the entry of the one hook that a class overrides. Returns `nil` if it
    /// cannot be found.
    private static func place(ofHookIn overriding: ManagedObject.Type) -> Int? {
        let count = wordCount(of: ManagedObject.self)
        guard count == wordCount(of: Plain.self), count == wordCount(of: overriding) else {
            return nil
        }
        let places = (0..<count).filter { place in
            let own = entry(place, of: ManagedObject.self)
            return entry(place, of: Plain.self) == own && entry(place, of: overriding) != own
        }
        return places.count == 1 ? places.first : nil
    }

    /// Returns how many words a class's record has, counted from the address that its pointer holds.
    /// Returns 0 if the record does not have the known form. A subclass has the entries of its
    /// superclass at the same indices.
    private static func wordCount(of objectClass: ManagedObject.Type) -> Int {
        #if os(Linux)
        // The Swift runtime's ClassMetadata without Objective-C consists of two words, 16 bytes about
        // instances, the record's size, and how much of that precedes the pointer.
        let record = unsafeBitCast(objectClass, to: UnsafeRawPointer.self)
        let size = Int(record.load(fromByteOffset: 32, as: UInt32.self))
        let before = Int(record.load(fromByteOffset: 36, as: UInt32.self))
        guard before <= 64, size % 8 == 0, (before + 64..<before + 8192).contains(size) else {
            return 0
        }
        return (size - before) / 8
        #else
        return 0
        #endif
    }

    private static func entry(_ place: Int, of objectClass: ManagedObject.Type) -> UInt {
        unsafeBitCast(objectClass, to: UnsafeRawPointer.self)
            .load(fromByteOffset: place * 8, as: UInt.self)
    }
}
