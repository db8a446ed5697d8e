// Core Data's constants for merge policies, without the prefix NS.

/// A policy of type ``MergePolicyType/error``.
public let ErrorMergePolicy = StandardMergePolicy(.error)
/// A policy of type ``MergePolicyType/mergeByPropertyStoreTrump``.
public let MergeByPropertyStoreTrumpMergePolicy = StandardMergePolicy(.mergeByPropertyStoreTrump)
/// A policy of type ``MergePolicyType/mergeByPropertyObjectTrump``.
public let MergeByPropertyObjectTrumpMergePolicy = StandardMergePolicy(.mergeByPropertyObjectTrump)
/// A policy of type ``MergePolicyType/overwrite``.
public let OverwriteMergePolicy = StandardMergePolicy(.overwrite)
/// A policy of type ``MergePolicyType/rollback``.
public let RollbackMergePolicy = StandardMergePolicy(.rollback)
