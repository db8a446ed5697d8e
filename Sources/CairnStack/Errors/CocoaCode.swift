/// The codes of `NSCocoaErrorDomain` that Cairn's errors use: those of Core Data (`CoreDataErrors.h`)
/// and of Foundation (`FoundationErrors.h`). The codes of broken model rules are in ``ValidationCode``.
enum CocoaCode {
    static let fileReadNoSuchFile = 260
    static let fileReadCorruptFile = 259
    static let fileWriteUnknown = 512
    static let fileWriteNoPermission = 513
    static let fileWriteFileExists = 516
    static let fileWriteOutOfSpace = 640
    static let fileWriteVolumeReadOnly = 642
    static let userCancelled = 3_072
    /// An archive cannot be read.
    static let coderReadCorrupt = 4_864
    /// A lock of a context cannot be taken.
    static let contextLocking = 132_000
    /// A fault refers to an object that its store does not contain.
    static let referentialIntegrity = 133_000
    /// A relationship refers to an object in another store.
    static let externalRelationship = 133_010
    static let merge = 133_020
    static let constraintMerge = 133_021
    /// No engine supports the type, the format or the version of the store.
    static let storeInvalidType = 134_000
    /// The store does not have the type that it was opened with.
    static let storeTypeMismatch = 134_010
    static let storeSave = 134_030
    /// Only some of several stores were saved.
    static let storeIncompleteSave = 134_040
    /// Core Data's code for errors without a specific code.
    static let general = 134_060
    static let storeOperation = 134_070
    static let storeOpen = 134_080
    static let storeTimeout = 134_090
    /// The hashes of the model and of the store differ.
    static let incompatibleVersionHash = 134_100
    static let migrationMissingSourceModel = 134_130
    static let migrationMissingMappingModel = 134_140
    static let sqlite = 134_180
    static let inferredMapping = 134_190
}
