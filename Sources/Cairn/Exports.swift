// A single import for applications. Authors of engines import only `CairnStore`.
@_exported import CairnBinary
@_exported import CairnGraphFiles
@_exported import CairnLMDB
@_exported import CairnMemory
@_exported import CairnModel
@_exported import CairnModelFiles
@_exported import CairnObjects
@_exported import CairnQueries
@_exported import CairnRows
@_exported import CairnSQLite
@_exported import CairnStack
@_exported import CairnStore
@_exported import CairnThreads
@_exported import CairnXML
