import CairnTool

#if POSTGRESQL
import Cairn
import CairnPostgreSQL

PersistentStoreCoordinator.registerStoreClass(PostgreSQLStore.self)
#endif

// The code is in a library, so that tests can import it. They cannot import an executable that a build plugin
// uses: a build from nothing may compile them before it.
Program.main()
