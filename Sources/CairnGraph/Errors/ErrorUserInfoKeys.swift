// The keys of `userInfo` of Cairn's errors as `NSError`. Their values are Core Data's.

/// The errors of which a failure consists, an array of `NSError`: each broken rule, or each store that
/// could not be opened.
public let DetailedErrorsKey = "NSDetailedErrors"
/// The ``ObjectID`` of the object that breaks a rule.
public let ValidationObjectErrorKey = "NSValidationErrorObject"
/// The name of the property that breaks a rule.
public let ValidationKeyErrorKey = "NSValidationErrorKey"
/// What the broken rule asks for, as text.
public let ValidationPredicateErrorKey = "NSValidationErrorPredicate"
/// The stores that an error is about, an array: a `URL` for a store with a file or at a service, the
/// name for a store in memory.
public let AffectedStoresErrorKey = "NSAffectedStoresErrorKey"
/// The objects that an error is about, an array of ``ObjectID``.
public let AffectedObjectsErrorKey = "NSAffectedObjectsErrorKey"
/// The conflicts of a save, an array of ``MergeConflict`` or ``ConstraintConflict``.
public let PersistentStoreSaveConflictsErrorKey = "conflictList"
/// The code of the SQLite library; an integer.
public let SQLiteErrorDomain = "NSSQLiteErrorDomain"
/// The hash of each entity, in the dictionary of the key `metadata`.
public let StoreModelVersionHashesKey = "NSStoreModelVersionHashes"
