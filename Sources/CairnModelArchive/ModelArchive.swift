import CairnModel

/// Reads and writes models in the form to which Core Data's tools compile them. This form is the content of
/// a `.mom` file and, after decompression, of a store's `Z_MODELCACHE` (see `ModelCache`).
///
/// docs/formats/model-archive.md lists the classes and keys.
public enum ModelArchive {
    /// Reads an archived model.
    ///
    /// Values that are not needed for storing objects never cause an error. For example, user info of an
    /// unsupported type or a default value that cannot be represented is left out, and a predicate outside of
    /// our grammar is kept as unreadable text. The description is not checked; compiling it to a
    /// ``CairnModel/ManagedObjectModel`` does that.
    ///
    /// - Throws: `.damaged` if the bytes are inconsistent, `.unexpectedRoot` if they contain something else, or
    ///   `.wrongValue` if an entity or property lacks a required value.
    public static func decode(_ bytes: [UInt8]) throws(ModelArchiveError) -> ModelDescription {
        try ModelDecoder(KeyedArchive(bytes)).decode()
    }

    /// Returns the content of a `.mom` file for a model.
    ///
    /// Reading the content gives the same description, and therefore the same version hashes. The class names
    /// and keys are those of Core Data. Values that Core Data's archives cannot represent are stored under
    /// keys that Core Data ignores.
    public static func encode(_ model: ManagedObjectModel) -> [UInt8] {
        var encoder = ModelEncoder(model, form: .file)
        return encoder.encode()
    }
}
