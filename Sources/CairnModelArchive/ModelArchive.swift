import CairnModel

/// A model in the form that Core Data's tools compile it to: the content of a `.mom` file, and of
/// a store's `Z_MODELCACHE` once unpacked (see ``ModelCache``).
///
/// docs/formats/model-archive.md lists classes and keys.
public enum ModelArchive {
    /// Reads an archived model.
    ///
    /// What does not matter for storing objects (an odd user-info value, a default that cannot be
    /// represented, a predicate outside our grammar) is left out or kept as unreadable text, and
    /// never fails the load. The result is not checked: ``ManagedObjectModel`` does that.
    ///
    /// - Throws: `.damaged` where the bytes contradict themselves, `.notAModel` where they hold
    ///   something else, `.wrongValue` where an entity or property lacks what it cannot be without.
    public static func decode(_ bytes: [UInt8]) throws(ModelArchiveError) -> ModelDescription {
        try ModelDecoder(KeyedArchive(bytes)).decode()
    }

    /// Writes a model as the content of a `.mom` file.
    ///
    /// Reading it back gives the same description, and so the same hashes. Class names and keys are
    /// Core Data's; what its archives have no place for is under keys that Core Data ignores.
    public static func encode(_ model: ManagedObjectModel) -> [UInt8] {
        var encoder = ModelEncoder(model, form: .file)
        return encoder.encode()
    }
}
