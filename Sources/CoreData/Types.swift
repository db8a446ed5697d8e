#if canImport(Darwin)
// Apple's systems have the framework CoreData. A program leaves this product out there, by a condition in its
// manifest. If the module is built nevertheless, it hides the framework and therefore exports it.
@_exported import CoreData
#else
@_exported import Cairn
// As Apple's framework does.
@_exported import Foundation

/// Core Data's name of `ManagedObject`.
public typealias NSManagedObject = ManagedObject
/// Core Data's name of `ManagedObjectContext`.
public typealias NSManagedObjectContext = ManagedObjectContext
/// Core Data's name of `ManagedObjectContext.ConcurrencyType`.
public typealias NSManagedObjectContextConcurrencyType = ManagedObjectContext.ConcurrencyType
/// Core Data's name of `ObjectID`.
public typealias NSManagedObjectID = ObjectID
/// Core Data's name of `QueryGenerationToken`.
public typealias NSQueryGenerationToken = QueryGenerationToken

/// Core Data's name of `PersistentContainer`.
public typealias NSPersistentContainer = PersistentContainer
/// Core Data's name of `PersistentStoreDescription`.
public typealias NSPersistentStoreDescription = PersistentStoreDescription
/// Core Data's name of `PersistentStoreCoordinator`.
public typealias NSPersistentStoreCoordinator = PersistentStoreCoordinator
/// Core Data's name of a store. It cannot be inherited from, because an engine conforms to `PersistentStore`.
public typealias NSPersistentStore = any PersistentStore
/// Core Data's name of `PersistentHistoryToken`.
public typealias NSPersistentHistoryToken = PersistentHistoryToken
/// Core Data's name of `PersistentHistoryTransaction`.
public typealias NSPersistentHistoryTransaction = PersistentHistoryTransaction
/// Core Data's name of `PersistentHistoryChange`.
public typealias NSPersistentHistoryChange = PersistentHistoryChange
/// Core Data's name of `PersistentHistoryChangeType`.
public typealias NSPersistentHistoryChangeType = PersistentHistoryChangeType
/// Core Data's name of `PersistentHistoryChangeRequest`.
public typealias NSPersistentHistoryChangeRequest = PersistentHistoryChangeRequest
/// Core Data's name of `PersistentHistoryResult`.
public typealias NSPersistentHistoryResult = PersistentHistoryResult
/// Core Data's name of `PersistentHistoryResultType`.
public typealias NSPersistentHistoryResultType = PersistentHistoryResultType
/// Core Data's name of `BatchInsertRequest`.
public typealias NSBatchInsertRequest = BatchInsertRequest
/// Core Data's name of `BatchUpdateRequest`.
public typealias NSBatchUpdateRequest = BatchUpdateRequest
/// Core Data's name of `BatchDeleteRequest`.
public typealias NSBatchDeleteRequest = BatchDeleteRequest
/// Core Data's name of `BatchResult`, of one of the three requests.
public typealias NSBatchInsertResult = BatchResult
/// Core Data's name of `BatchResult`, of one of the three requests.
public typealias NSBatchUpdateResult = BatchResult
/// Core Data's name of `BatchResult`, of one of the three requests.
public typealias NSBatchDeleteResult = BatchResult
/// Core Data's name of `MigrationManager`.
public typealias NSMigrationManager = MigrationManager
/// Core Data's name of `EntityMigrationPolicy`.
public typealias NSEntityMigrationPolicy = EntityMigrationPolicy
/// Core Data's name of `MappingModel`.
public typealias NSMappingModel = MappingModel
/// Core Data's name of `EntityMapping`.
public typealias NSEntityMapping = EntityMapping
/// Core Data's name of `PropertyMapping`.
public typealias NSPropertyMapping = PropertyMapping

/// Core Data's name of `ManagedObjectModel`.
public typealias NSManagedObjectModel = ManagedObjectModel
/// Core Data's name of `EntityDescription`.
public typealias NSEntityDescription = EntityDescription
/// Core Data's name of `AttributeDescription`.
public typealias NSAttributeDescription = AttributeDescription
/// Core Data's name of `RelationshipDescription`.
public typealias NSRelationshipDescription = RelationshipDescription
/// Core Data's name of `FetchedPropertyDescription`.
public typealias NSFetchedPropertyDescription = FetchedPropertyDescription
/// Core Data's name of `FetchIndexDescription`.
public typealias NSFetchIndexDescription = FetchIndexDescription
/// Core Data's name of `ExpressionDescription`.
public typealias NSExpressionDescription = ExpressionDescription
/// Core Data's name of `AttributeType`.
public typealias NSAttributeType = AttributeType
/// Core Data's name of `DeleteRule`.
public typealias NSDeleteRule = DeleteRule

/// Core Data's name of `FetchRequest`.
public typealias NSFetchRequest<Result: ManagedObject> = FetchRequest<Result>
/// Core Data's name of `FetchRequestTemplate.ResultType`.
public typealias NSFetchRequestResultType = FetchRequestTemplate.ResultType
/// Core Data's name of `FetchedResultsController`.
public typealias NSFetchedResultsController<Result: ManagedObject> = FetchedResultsController<
    Result
>
/// Core Data's name of `FetchedResultsControllerDelegate`.
public typealias NSFetchedResultsControllerDelegate = FetchedResultsControllerDelegate
/// Core Data's name of `FetchedResultsChangeType`.
public typealias NSFetchedResultsChangeType = FetchedResultsChangeType

/// Core Data's name of `StandardMergePolicy`. It cannot be inherited from, because a policy conforms to
/// `MergePolicy`.
public typealias NSMergePolicy = StandardMergePolicy
/// Core Data's name of `MergePolicyType`.
public typealias NSMergePolicyType = MergePolicyType
/// Core Data's name of `MergeConflict`.
public typealias NSMergeConflict = MergeConflict
/// Core Data's name of `ConstraintConflict`.
public typealias NSConstraintConflict = ConstraintConflict

/// Core Data's name of `BatchResultType`, of an insertion.
public typealias NSBatchInsertRequestResultType = BatchResultType
/// Core Data's name of `BatchResultType`, of an update.
public typealias NSBatchUpdateRequestResultType = BatchResultType
/// Core Data's name of `BatchResultType`, of a deletion.
public typealias NSBatchDeleteRequestResultType = BatchResultType

extension BatchResultType {
    /// Core Data's name of `.statusOnly`, of an update.
    public static var statusOnlyResultType: Self { .statusOnly }
    /// Core Data's name of `.objectIDs`, of an update.
    public static var updatedObjectIDsResultType: Self { .objectIDs }
    /// Core Data's name of `.count`, of an update.
    public static var updatedObjectsCountResultType: Self { .count }
    /// Core Data's name of `.statusOnly`, of a deletion.
    public static var resultTypeStatusOnly: Self { .statusOnly }
    /// Core Data's name of `.objectIDs`, of a deletion.
    public static var resultTypeObjectIDs: Self { .objectIDs }
    /// Core Data's name of `.count`, of a deletion.
    public static var resultTypeCount: Self { .count }
}
#endif
