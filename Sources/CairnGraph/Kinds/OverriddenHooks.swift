import CairnModel

/// Tells which classes have hooks of their own: checks of values and objects, and `willSave`.
///
/// A save would call ``ManagedObject/validate(_:forKey:)`` for each value of each new object, and for
/// that make a copy of the value and compare it afterwards: a tenth of what a save costs, where most
/// classes leave the hook as it is. Swift cannot be asked whether a class overrides a method, but
/// the runtime has to know: a call looks the method up in the class's table. Where two classes have
/// the same entry in the hook's place, a call of the hook runs the same code.
///
/// A hook's place is found by comparing: two classes here differ in that hook and in nothing else, so
/// nothing is taken for granted of the table's order. Where anything looks otherwise than expected,
/// every class counts as one that overrides the hook, which is slower and always right.
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

    /// Whether the class, or one that it inherits from, overrides the check of values; true where
    /// that cannot be told.
    static func checksValues(_ objectClass: ManagedObject.Type) -> Bool {
        overrides(placeOfCheck, objectClass)
    }

    /// Whether the class, or one that it inherits from, overrides one of the four hooks of
    /// validation; true if that cannot be told.
    static func validates(_ objectClass: ManagedObject.Type) -> Bool {
        checksValues(objectClass) || placesOfValidation.contains { overrides($0, objectClass) }
    }

    /// Whether the class, or one that it inherits from, overrides `willSave`; true if that cannot be
    /// told.
    static func preparesSave(_ objectClass: ManagedObject.Type) -> Bool {
        overrides(placeOfWillSave, objectClass)
    }

    private static func overrides(_ place: Int?, _ objectClass: ManagedObject.Type) -> Bool {
        guard let place else { return true }
        return entry(place, of: objectClass) != entry(place, of: ManagedObject.self)
    }

    // Where tables of methods have the hooks; nil: not known.
    private static let placeOfCheck = place(ofHookIn: Checking.self)
    private static let placesOfValidation = [
        place(ofHookIn: CheckingInsertion.self), place(ofHookIn: CheckingUpdate.self),
        place(ofHookIn: CheckingDeletion.self),
    ]
    private static let placeOfWillSave = place(ofHookIn: Saving.self)

    /// Returns where tables of methods have the one hook that a class overrides. Returns `nil` if that
    /// cannot be told.
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

    /// How many words a class's record has from where its pointer points; 0: of another form than
    /// is known. A subclass has those of its superclass in the same places.
    private static func wordCount(of objectClass: ManagedObject.Type) -> Int {
        #if os(Linux)
        // Of the Swift runtime's ClassMetadata where there is no Objective-C: two words, then 16
        // bytes about instances, then the record's size and how much of it is before the pointer.
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
