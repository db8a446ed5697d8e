// Core Data's constants for merge policies, without the prefix NS.

/// The same as ``MergePolicyType/error``.
public let ErrorMergePolicy = StandardMergePolicy(.error)
/// The same as ``MergePolicyType/mergeByPropertyStoreTrump``.
public let MergeByPropertyStoreTrumpMergePolicy = StandardMergePolicy(.mergeByPropertyStoreTrump)
/// The same as ``MergePolicyType/mergeByPropertyObjectTrump``.
public let MergeByPropertyObjectTrumpMergePolicy = StandardMergePolicy(.mergeByPropertyObjectTrump)
/// The same as ``MergePolicyType/overwrite``.
public let OverwriteMergePolicy = StandardMergePolicy(.overwrite)
/// The same as ``MergePolicyType/rollback``.
public let RollbackMergePolicy = StandardMergePolicy(.rollback)
