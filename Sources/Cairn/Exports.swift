// A single import for applications: whole modules of what an application calls, and of the others only the
// types that it can meet. Authors of engines import `CairnStore`.
@_exported import CairnGraphFiles
@_exported import CairnLMDB
@_exported import CairnModel
@_exported import CairnModelFiles
@_exported import CairnObjects
@_exported import CairnQueries
@_exported import CairnSQLite
@_exported import CairnStack
@_exported import CairnUndo
@_exported import class CairnThreads.TurnExecutor
@_exported import enum CairnStore.HistoryGap
@_exported import enum CairnStore.MetadataValue
@_exported import enum CairnStore.PersistentHistoryChangeType
@_exported import enum CairnStore.StoreDeadline
@_exported import enum CairnStore.StoreError
@_exported import enum CairnStore.StoreLocation
@_exported import protocol CairnStore.FileStore
@_exported import protocol CairnStore.PersistentStore
@_exported import struct CairnRows.ExternalReference
@_exported import struct CairnStore.CompletedStages
@_exported import struct CairnStore.EngineFailure
@_exported import struct CairnStore.FetchReport
@_exported import struct CairnStore.HistoryPosition
@_exported import struct CairnStore.InterruptedSave
@_exported import struct CairnStore.PersistentHistoryChange
@_exported import struct CairnStore.PersistentHistoryToken
@_exported import struct CairnStore.PersistentHistoryTransaction
@_exported import struct CairnStore.ReferenceConflict
@_exported import struct CairnStore.RowConflict
@_exported import struct CairnStore.SaveID
@_exported import struct CairnStore.ServiceLocation
@_exported import struct CairnStore.StoreCapabilities
@_exported import struct CairnStore.StoreDisagreement
@_exported import struct CairnStore.StoreMetadata
@_exported import struct CairnStore.StoreOption
@_exported import struct CairnStore.StoreType
@_exported import struct CairnStore.UniquenessConflict
@_exported import struct CairnThreads.ThreadLimits
@_exported import struct CairnThreads.ThreadLoad
@_exported import typealias CairnStore.FileFailure
@_exported import typealias CairnStore.StoreOptions
