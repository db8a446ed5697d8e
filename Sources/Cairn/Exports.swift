// A single import for applications. Authors of engines import only `CairnStore`.
@_exported import CairnBinary
@_exported import CairnGraph
@_exported import CairnGraphFiles
@_exported import CairnLMDB
@_exported import CairnMemory
@_exported import CairnModel
@_exported import CairnModelFiles
@_exported import CairnSQLite
@_exported import CairnStore
@_exported import CairnThreads
@_exported import CairnXML
