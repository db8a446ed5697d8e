// The keys in the `userInfo` of Cairn's errors as `NSError`. Their values are the same as in Core Data.

/// The errors that make up a failure; an array of `NSError`. Contains an error for each broken rule, or
/// for each store that could not be opened.
public let DetailedErrorsKey = "NSDetailedErrors"
/// The object that breaks a rule; an ``ObjectID``.
public let ValidationObjectErrorKey = "NSValidationErrorObject"
/// The name of the property that breaks a rule; a string.
public let ValidationKeyErrorKey = "NSValidationErrorKey"
/// The requirement of the broken rule; a string.
public let ValidationPredicateErrorKey = "NSValidationErrorPredicate"
/// The stores that an error concerns; an array. Contains a `URL` for a store with a file or of a
/// service, and the name of an in-memory store.
public let AffectedStoresErrorKey = "NSAffectedStoresErrorKey"
/// The objects that an error concerns; an array of ``ObjectID``.
public let AffectedObjectsErrorKey = "NSAffectedObjectsErrorKey"
/// The conflicts of a save; an array of ``MergeConflict`` or ``ConstraintConflict``.
public let PersistentStoreSaveConflictsErrorKey = "conflictList"
/// The error code of the SQLite library; an integer.
public let SQLiteErrorDomain = "NSSQLiteErrorDomain"
/// The version hashes by entity name, in the dictionary for the key `metadata`.
public let StoreModelVersionHashesKey = "NSStoreModelVersionHashes"
