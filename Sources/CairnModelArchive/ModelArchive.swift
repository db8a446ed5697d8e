import CairnModel

/// A model in the form that Core Data's tools compile it to: the content of a `.mom` file, and of
/// a store's `Z_MODELCACHE` once unpacked (see ``ModelCache``).
///
/// docs/formats/model-archive.md lists classes and keys.
public enum ModelArchive {
    /// Reads an archived model.
    ///
    /// Values that do not matter for storing objects (an odd user-info value, a default that cannot
    /// be represented, a predicate outside our grammar) are left out or kept as unreadable text.
    /// They never cause an error. The result is not checked: ``CairnModel/ManagedObjectModel`` does that.
    ///
    /// - Throws: `.damaged` if the bytes contradict themselves, `.notAModel` if they contain
    ///   something else, `.wrongValue` if an entity or property lacks a value that it must have.
    public static func decode(_ bytes: [UInt8]) throws(ModelArchiveError) -> ModelDescription {
        try ModelDecoder(KeyedArchive(bytes)).decode()
    }

    /// Writes a model as the content of a `.mom` file.
    ///
    /// Reading the content gives the same description, and therefore the same hashes. Class names
    /// and keys are Core Data's. What Core Data's archives cannot express is under keys that Core
    /// Data ignores.
    public static func encode(_ model: ManagedObjectModel) -> [UInt8] {
        var encoder = ModelEncoder(model, form: .file)
        return encoder.encode()
    }
}
